import { openWalletEvents } from '../../events/wallet-events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../store/open-store.ts';

/** Has a wallet's history read from its chain; tells whether that was asked for, now or a short time ago. */
export type AskForWallet = (chain: string, wallet: string) => Promise<boolean>;

const AGAIN_AFTER_MS = 60_000;
/** Questions that lead nowhere are free: nodes must not be kept busy by them. */
const PER_MINUTE_MAX = 60;

/** `chains` are those that are followed: nobody else's nodes are known. */
export const createAskForWallet = async (request: {
  store: Store;
  chains: readonly string[];
  clock: Clock;
  logger: Logger;
}): Promise<AskForWallet> => {
  const { store, clock, logger } = request;
  const events = await openWalletEvents(store.registry);
  const chains = new Set(request.chains);
  const ask = async (chain: string, wallet: string, nowUnixMs: number): Promise<boolean> => {
    const askedAtUnixSeconds = Math.floor(nowUnixMs / 1_000);
    try {
      await store.log.append([events.asked({ chain, wallet, askedAtUnixSeconds })]);
      return true;
    } catch (err) {
      logger.warn({ err }, 'a wallet could not be asked for');
      return false;
    }
  };
  // What was asked for within the last minute: never more than are asked for in one. Whoever asks again while the log is
  // written waits for it as well.
  const asked = new Map<string, { readonly atUnixMs: number; readonly answer: Promise<boolean> }>();
  return async (chain, wallet) => {
    if (!chains.has(chain)) return false;
    const nowUnixMs = clock.nowUnixMs();
    for (const [key, { atUnixMs }] of asked) if (nowUnixMs - atUnixMs >= AGAIN_AFTER_MS) asked.delete(key);
    const key = `${chain}:${wallet}`;
    const known = asked.get(key);
    if (known !== undefined) return known.answer;
    if (asked.size >= PER_MINUTE_MAX) return false;
    const answer = ask(chain, wallet, nowUnixMs);
    asked.set(key, { atUnixMs: nowUnixMs, answer });
    if (!(await answer)) asked.delete(key);
    return answer;
  };
};
