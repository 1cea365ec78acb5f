import type { Untraced } from '../nodes/block-source.ts';
import { inconsistent, SourceError } from '../nodes/source-error.ts';
import type { EvmRpc, RpcAnswer, RpcFailure } from './evm-rpc.ts';
import { fieldOf, listOf } from './read-hex.ts';
import { failureOf, isTooLarge, resultOf } from './rpc-answer.ts';

export const TRACER = { tracer: 'callTracer' };
const AT_ONCE = 4;
/** The characters of data in all traces of a block that fit in memory; each trace has its own answer and limit. */
const DATA_MAX = 256 << 20;

/** `untraced`: why some are missing, null if none is. */
export type EachTraced = { readonly traces: readonly unknown[]; readonly untraced: Untraced | null };

/**
 * The traces of a block's transactions, one by one: for a few cents anybody can make one trace too large for a
 * joint answer. Traces too large alone are left out for good; other failures may succeed later. null if the node
 * does not trace single transactions. Throws `SourceError` if it gives none.
 */
export const fetchEachTrace = async (
  rpc: EvmRpc,
  block: RawBlock,
  transactions: readonly unknown[],
  signal: AbortSignal,
): Promise<EachTraced | null> => {
  const traces: unknown[] = [];
  let untraced: Untraced | null = null;
  let data = 0;
  for (let start = 0; start < transactions.length; start += AT_ONCE) {
    const hashes = transactions.slice(start, start + AT_ONCE).map((tx) => fieldOf(tx, 'hash'));
    const answers = await askEach(rpc.ask, hashes, signal).catch((error: unknown) => {
      if (error instanceof SourceError && traces.length > 0) return error;
      throw error;
    });
    if (answers instanceof SourceError) {
      untraced = answers.transient ? 'for_now' : (untraced ?? 'for_good');
      break;
    }
    if (answers.some((answer) => failureOf(answer)?.kind === 'method_missing')) return null;
    for (const [at, answer] of answers.entries()) {
      const failure = failureOf(answer);
      const result = answer && failure === null ? resultOf(answer) : null;
      data += sizeOf(result);
      if (result !== null && data <= DATA_MAX) traces.push({ txHash: hashes[at], result });
      else untraced = whyLeftOut(failure, untraced);
    }
  }
  const [header] = await rpc.ask([headerCall(block)], signal);
  refuseOther(header, block);
  return { traces, untraced };
};

/** Of several reasons, the one that a repetition may solve. */
const whyLeftOut = (failure: RpcFailure | null, before: Untraced | null): Untraced =>
  failure === null || isTooLarge(failure.message) ? (before ?? 'for_good') : 'for_now';

/** Throws if the rate is limited. */
const askEach = async (
  ask: EvmRpc['ask'],
  hashes: readonly unknown[],
  signal: AbortSignal,
): Promise<readonly (RpcAnswer | undefined)[]> => {
  const answers = await Promise.all(hashes.map((txHash) => fetchTrace(ask, txHash, signal)));
  for (const answer of answers) if (failureOf(answer)?.kind === 'rate_limited') resultOf(answer);
  return answers;
};

/** Inputs and outputs of all calls in a trace, in characters, which is nearly all of its size. */
const sizeOf = (trace: unknown): number => {
  let size = 0;
  for (const frames = [trace]; frames.length > 0; ) {
    const frame = frames.pop();
    for (const field of ['input', 'output']) {
      const text = fieldOf(frame, field);
      if (typeof text === 'string') size += text.length;
    }
    for (const call of listOf(fieldOf(frame, 'calls'))) frames.push(call);
  }
  return size;
};

/** A block as its node gave it. */
export type RawBlock = Readonly<Record<string, unknown>>;

export const headerCall = ({ number }: RawBlock) => ({
  method: 'eth_getBlockByNumber',
  params: [number, false],
});

/** Traces do not name their block: asked for by anything but the hash, they may be of a later block. */
export const refuseOther = (header: RpcAnswer | undefined, { hash }: RawBlock): void => {
  if (fieldOf(resultOf(header), 'hash') !== hash) throw inconsistent('the block is another one by now');
};

/** undefined if its trace is too large. */
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
