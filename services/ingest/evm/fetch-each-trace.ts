import { inconsistent, SourceError } from '../nodes/source-error.ts';
import type { EvmRpc, RpcAnswer } from './evm-rpc.ts';
import { fieldOf } from './read-hex.ts';
import { failureOf, resultOf } from './rpc-answer.ts';

export const TRACER = { tracer: 'callTracer' };
const AT_ONCE = 8;

/**
 * The traces of a block's transactions, asked for one by one: of those together a single one may be made too large to be told, for
 * a few cents. Those that are too large alone are left out. null where the node does not trace single ones. Throws `SourceError`.
 */
export const fetchEachTrace = async (
  rpc: EvmRpc,
  { number, hash }: Readonly<Record<string, unknown>>,
  transactions: readonly unknown[],
  signal: AbortSignal,
): Promise<readonly unknown[] | null> => {
  const traces: unknown[] = [];
  for (let start = 0; start < transactions.length; start += AT_ONCE) {
    const hashes = transactions.slice(start, start + AT_ONCE).map((tx) => fieldOf(tx, 'hash'));
    const answers = await Promise.all(hashes.map((txHash) => fetchTrace(rpc.ask, txHash, signal)));
    for (const [at, answer] of answers.entries()) {
      const failure = failureOf(answer);
      if (failure?.kind === 'method_missing') return null;
      if (failure?.kind === 'rate_limited') resultOf(answer);
      if (answer && failure === null) traces.push({ txHash: hashes[at], result: resultOf(answer) });
    }
  }
  // A transaction may stand in another block by now, and its trace does not say in which.
  const [header] = await rpc.ask([{ method: 'eth_getBlockByNumber', params: [number, false] }], signal);
  if (fieldOf(resultOf(header), 'hash') !== hash) throw inconsistent('the block is another one by now');
  return traces;
};

/** undefined where its trace is too large. */
export const fetchTrace = async (
  ask: EvmRpc['ask'],
  txHash: unknown,
  signal: AbortSignal,
): Promise<RpcAnswer | undefined> => {
  try {
    return (await ask([{ method: 'debug_traceTransaction', params: [txHash, TRACER] }], signal))[0];
  } catch (error) {
    if (error instanceof SourceError && error.code === 'answer_too_large') return undefined;
    throw error;
  }
};
