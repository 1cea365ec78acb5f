import type { HistoryNode, HistorySource } from '../history/history-source.ts';
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

/** The same for a node that tells histories. */
export const withHistoryChecked = (
  { node, source }: { readonly node: HistoryNode; readonly source: HistorySource },
  askChain: AskChain,
): { node: HistoryNode; source: HistorySource } => {
  const check = createCheck(node.chain, askChain);
  const { isUsed } = node;
  const checked =
    <A extends unknown[], T>(ask: (...given: [...A, AbortSignal]) => Promise<T>) =>
    async (...given: [...A, AbortSignal]): Promise<T> => {
      await check(given.at(-1) as AbortSignal);
      return ask(...given);
    };
  return {
    node: {
      chain: node.chain,
      head: checked(node.head),
      ...(isUsed && { isUsed: checked(isUsed) }),
      decode: checked(node.decode),
      prove: checked(node.prove),
    },
    source: { ...source, probe: checked(source.probe) },
  };
};
