import type { AskForWallet, Promised, Wanted } from '../../api/asking/ask-in-time.ts';
import { openWalletEvents, WALLETS_ASKED, WALLETS_READ } from '../../events/wallet-events.ts';
import type { Clock } from '../../platform/clock.ts';
import { followTopic } from '../../platform/event-log/follow-topic.ts';
import { RecordPassedOverError } from '../../platform/event-log/read-decoded.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../store/open-store.ts';
import { createWalletLine, partKey } from './wallet-line.ts';

type WalletAsker = { readonly ask: AskForWallet; stop(): Promise<void> };

/**
 * Asks for histories to be read from their chains, if that can be done soon. Only for followed chains,
 * because no other nodes are known.
 */
export const startWalletAsker = async (request: {
  store: Store;
  chains: readonly string[];
  clock: Clock;
  logger: Logger;
}): Promise<WalletAsker> => {
  const { store, clock, logger } = request;
  const events = await openWalletEvents(store.registry);
  const lines = new Map(request.chains.map((chain) => [chain, createWalletLine(clock)]));
  const onError = (err: unknown): void =>
    logger.warn({ err }, 'reading the topic of wanted wallets failed; trying again');
  const follow = (topic: string, apply: (record: Buffer) => void) =>
    followTopic({
      log: store.log,
      topic,
      take: (record) => {
        try {
          apply(record.value);
        } catch (error) {
          onError(new RecordPassedOverError(record, error));
        }
      },
      onError,
    });
  // Other processes ask, too, and the same nodes read for all of them.
  const asked = await follow(WALLETS_ASKED, (record) => {
    const { chain, wallet: address, askedAtUnixSeconds, ...part } = events.decodeAsked(record);
    lines.get(chain)?.asked({ address, ...part }, askedAtUnixSeconds);
  });
  const read = await follow(WALLETS_READ, (record) => {
    const { chain, wallet, readAtUnixSeconds, isPart } = events.decodeRead(record);
    lines.get(chain)?.done({ address: wallet, isPart }, readAtUnixSeconds);
  });
  const append = async (
    chain: string,
    { address: wallet, ...part }: Wanted,
    isPaid: boolean,
  ): Promise<boolean> => {
    const askedAtUnixSeconds = Math.floor(clock.nowUnixMs() / 1_000);
    try {
      await store.log.append([events.asked({ ...part, chain, wallet, askedAtUnixSeconds, isPaid })]);
      return true;
    } catch (err) {
      logger.warn({ err }, 'a request for a wallet history could not be written');
      return false;
    }
  };
  // A second caller shares the pending write.
  const writing = new Map<string, Promise<Promised | null>>();
  return {
    ask: async (chain, wanted, asker) => {
      const line = lines.get(chain);
      if (line === undefined) return null;
      const key = `${chain}:${partKey(wanted)}`;
      const known = writing.get(key);
      if (known !== undefined) return known;
      const promised = () => ({ withinSeconds: line.secondsUntilRead() });
      if (line.isWaiting(wanted)) return promised();
      if (!line.enter(wanted, asker)) return null;
      const write = async (): Promise<Promised | null> => {
        if (await append(chain, wanted, asker.isPaid)) return promised();
        line.leave(wanted);
        return null;
      };
      const answer = write().finally(() => writing.delete(key));
      writing.set(key, answer);
      return answer;
    },
    stop: async () => {
      await Promise.all([asked.stop(), read.stop()]);
    },
  };
};
