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
  // What was asked for within the last minute: never more than are asked for in one.
  const asked = new Map<string, number>();
  return async (chain, wallet) => {
    if (!chains.has(chain)) return false;
    const nowUnixMs = clock.nowUnixMs();
    for (const [key, at] of asked) if (nowUnixMs - at >= AGAIN_AFTER_MS) asked.delete(key);
    const key = `${chain}:${wallet}`;
    if (asked.has(key)) return true;
    if (asked.size >= PER_MINUTE_MAX) return false;
    asked.set(key, nowUnixMs);
    try {
      await store.log.append([
        events.asked({ chain, wallet, askedAtUnixSeconds: Math.floor(nowUnixMs / 1_000) }),
      ]);
      return true;
    } catch (err) {
      asked.delete(key);
      logger.warn({ err }, 'a wallet could not be asked for');
      return false;
    }
  };
};
