import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { Untraced } from '../nodes/block-source.ts';
import { SourceError } from '../nodes/source-error.ts';
import type { ChainRules } from './chain-rules.ts';
import type { EvmRpc, RpcAnswer } from './evm-rpc.ts';
import { fetchEachTrace, headerCall, type RawBlock, refuseOther, TRACER } from './fetch-each-trace.ts';
import { fieldOf, listOf } from './read-hex.ts';
import { failureOf, isStateGone, isTooLarge, resultOf } from './rpc-answer.ts';

export type Traces = {
  /** As the node gave them; null if they cannot be the block's. */
  readonly traces: readonly unknown[] | null;
  readonly untraced: Untraced | null;
};

/** Whether a node traces (null while unknown), and whether by block hash. */
export type TracesOffered = { traces: boolean | null; byHash: boolean };

/** A block with its transactions. The client's own transactions have no traces. */
type Traceable = Pick<ChainRules, 'untracedSender'> & {
  readonly block: RawBlock;
  readonly transactions: readonly unknown[];
};

/**
 * The calls in a block's transactions. They are requested apart from the block, because they may be slow or large.
 * Throws a `SourceError` if the rate is limited.
 */
export const fetchTraces = async (
  rpc: EvmRpc,
  traceable: Traceable,
  offered: TracesOffered,
  signal: AbortSignal,
): Promise<Traces> => {
  const { block, transactions, untracedSender } = traceable;
  const traced = transactions.filter((tx) => fieldOf(tx, 'from') !== untracedSender);
  if (traced.length === 0) return { traces: [], untraced: null };
  if (offered.traces === false) return { traces: null, untraced: 'for_good' };
  try {
    const answer = await ask(rpc, traceable, offered, signal).catch(orTooLarge);
    const isLarge = answer instanceof SourceError || isTooLarge(failureOf(answer)?.message ?? '');
    const each = isLarge && traced.length > 1 ? await fetchEachTrace(rpc, block, traced, signal) : null;
    if (each === null || each.traces.length === 0)
      return answer instanceof SourceError ? ofError(answer) : readTraces(answer, transactions, offered);
    offered.traces = true;
    return each;
  } catch (error) {
    if (error instanceof SourceError) return ofError(error);
    throw error;
  }
};

const orTooLarge = (error: unknown): SourceError => {
  if (error instanceof SourceError && error.code === 'answer_too_large') return error;
  throw error;
};

/**
 * By hash, because two blocks of a number may share transactions; by number only for nodes that know no other way.
 */
const ask = async (
  rpc: EvmRpc,
  { block }: Traceable,
  offered: TracesOffered,
  signal: AbortSignal,
): Promise<RpcAnswer | undefined> => {
  if (offered.byHash) {
    const call = { method: 'debug_traceBlockByHash', params: [block.hash, TRACER] };
    const [answer] = await rpc.ask([call], signal);
    if (offered.traces || failureOf(answer)?.kind !== 'method_missing') return answer;
    offered.byHash = false;
  }
  const call = { method: 'debug_traceBlockByNumber', params: [block.number, TRACER] };
  const [answer, header] = await rpc.ask([call, headerCall(block)], signal);
  refuseOther(header, block);
  return answer;
};

/** "Method missing" is believed only from a node that never traced: one address may have several nodes. */
const readTraces = (
  answer: RpcAnswer | undefined,
  transactions: readonly unknown[],
  offered: TracesOffered,
): Traces => {
  const failure = failureOf(answer);
  if (failure === null || failure.kind === 'rate_limited') {
    const traces = listOf(resultOf(answer));
    offered.traces = true;
    return areOf(transactions, traces) ? { traces, untraced: null } : { traces: null, untraced: 'for_now' };
  }
  if (failure.kind === 'method_missing') offered.traces ??= false;
  const isForGood = offered.traces === false || isStateGone(failure.message);
  return { traces: null, untraced: isForGood ? 'for_good' : 'for_now' };
};

const ofError = (error: SourceError): Traces => {
  if (error.code === 'rate_limited') throw error;
  return { traces: null, untraced: error.transient ? 'for_now' : 'for_good' };
};

/**
 * A node that has not run the block answers an empty list, and by number perhaps another block's. Older nodes omit
 * hashes.
 */
const areOf = (transactions: readonly unknown[], traces: readonly unknown[]): boolean => {
  if (traces.length === 0) return false;
  const hashes = new Set(transactions.map((tx) => fieldOf(tx, 'hash')));
  const named = traces.map((trace) => fieldOf(trace, 'txHash'));
  if (named.some((hash) => hash === undefined) && traces.length !== transactions.length) return false;
  return named.every((hash) => hash === undefined || hashes.has(hash));
};

/** A wrong trace stays wrong; a missing one may have timed out. */
const TRACE_PROBLEMS = new Map<string, Untraced>([
  ['trace_missing', 'for_now'],
  ['trace_malformed', 'for_good'],
  ['trace_contradicts', 'for_good'],
]);

/** The same for single transactions, by what was wrong with their traces. */
export const untracedIn = ({ problems }: DecodedBlock): Untraced | null => {
  const found = new Set(problems.map(({ code }) => TRACE_PROBLEMS.get(code)));
  return found.has('for_now') ? 'for_now' : found.has('for_good') ? 'for_good' : null;
};
