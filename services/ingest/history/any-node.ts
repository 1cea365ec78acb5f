import { SourceError } from '../nodes/source-error.ts';
import type { HistoryNode } from './history-source.ts';

/** One node from several of a chain: each question goes to the next one where one fails. */
export const anyNode = (nodes: readonly HistoryNode[]): HistoryNode => {
  const [first] = nodes;
  if (first === undefined) throw new Error('a chain needs a node');
  if (nodes.length === 1) return first;
  const ask = async <T>(question: (node: HistoryNode) => Promise<T>): Promise<T> => {
    for (const [place, node] of nodes.entries()) {
      try {
        return await question(node);
      } catch (error) {
        if (!(error instanceof SourceError) || place === nodes.length - 1) throw error;
      }
    }
    throw new Error('not reached: the last node answers or throws');
  };
  return {
    chain: first.chain,
    head: (signal) => ask((node) => node.head(signal)),
    // A wallet counts as unused only if all nodes say so.
    isUsed: async (address, signal) => {
      for (const { isUsed } of nodes)
        if (!isUsed || (await isUsed(address, signal).catch(() => true))) return true;
      return false;
    },
    decode: (listed, signal) => ask((node) => node.decode(listed, signal)),
    // What one cannot prove another may: it keeps older states.
    prove: async (question, signal) => {
      let best: Awaited<ReturnType<HistoryNode['prove']>> = [];
      for (const node of nodes) {
        const proved = await node.prove(question, signal).catch((error: unknown) => {
          if (!(error instanceof SourceError)) throw error;
          return [];
        });
        if (proved.length > best.length) best = proved;
      }
      return best;
    },
  };
};
