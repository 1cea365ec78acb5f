import type { WalletSource } from '../wallets/wallet-source.ts';
import type { BlockSource } from './block-source.ts';
import { type RetryLimits, retryTransient, SourceError } from './source-error.ts';

/**
 * The chain that a node serves by its own word; null if it does not say, or if the id is unknown: an operator's
 * own chain.
 */
export type AskChain = (signal: AbortSignal) => Promise<string | null>;

/**
 * Asks a node for its chain before its first answer is believed, and not again after the right one. Throws
 * `SourceError` `wrong_chain`: one chain's blocks must never be stored as another's.
 */
const createCheck = (chain: string, askChain: AskChain, retry?: RetryLimits) => {
  let isRight = false;
  return async (signal: AbortSignal): Promise<void> => {
    if (isRight) return;
    const served = await retryTransient(() => askChain(signal), signal, retry);
    if (served !== null && served !== chain)
      throw new SourceError('wrong_chain', `the node serves ${served}, not ${chain}`, { transient: false });
    isRight = true;
  };
};

export const withChainChecked = (
  source: BlockSource,
  askChain: AskChain,
  retry?: RetryLimits,
): BlockSource => {
  const check = createCheck(source.chain, askChain, retry);
  return {
    ...source,
    head: async (signal) => {
      await check(signal);
      return source.head(signal);
    },
    fetch: async (number, signal) => {
      await check(signal);
      return source.fetch(number, signal);
    },
  };
};

/** The same for the histories of wallets. */
export const withWalletsChecked = (source: WalletSource, askChain: AskChain): WalletSource => {
  const check = createCheck(source.chain, askChain);
  const { isUsed } = source;
  return {
    chain: source.chain,
    ...(isUsed && {
      isUsed: async (wallet: string, signal: AbortSignal) => {
        await check(signal);
        return isUsed(wallet, signal);
      },
    }),
    read: async function* (wallet, limits, signal) {
      await check(signal);
      return yield* source.read(wallet, limits, signal);
    },
  };
};
