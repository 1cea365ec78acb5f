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
  block: RawBlock,
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
  const [header] = await rpc.ask([headerCall(block)], signal);
  refuseOther(header, block);
  return traces;
};

/** A block as its node gave it. */
export type RawBlock = Readonly<Record<string, unknown>>;

export const headerCall = ({ number }: RawBlock) => ({
  method: 'eth_getBlockByNumber',
  params: [number, false],
});

/** Traces do not say which block they are of: asked for by anything but its hash, they are of the one that stands there afterwards. */
export const refuseOther = (header: RpcAnswer | undefined, { hash }: RawBlock): void => {
  if (fieldOf(resultOf(header), 'hash') !== hash) throw inconsistent('the block is another one by now');
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
