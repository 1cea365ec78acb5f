import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { Untraced } from '../nodes/block-source.ts';
import { SourceError } from '../nodes/source-error.ts';
import type { ChainRules } from './chain-rules.ts';
import type { EvmRpc, RpcAnswer } from './evm-rpc.ts';
import { fetchEachTrace, headerCall, type RawBlock, refuseOther, TRACER } from './fetch-each-trace.ts';
import { fieldOf, listOf } from './read-hex.ts';
import { failureOf, isStateGone, isTooLarge, resultOf } from './rpc-answer.ts';

export type Traces = {
  /** As the node gave them; null where it gave none that can be those of the block. */
  readonly traces: readonly unknown[] | null;
  readonly untraced: Untraced | null;
};

/** Whether a node traces, null until it has said so; and whether it does so by a block's hash. */
export type TracesOffered = { traces: boolean | null; byHash: boolean };

/** A block with its transactions, as its node gave them; what the chain's client itself runs has no traces. */
type Traceable = Pick<ChainRules, 'untracedSender'> & {
  readonly block: RawBlock;
  readonly transactions: readonly unknown[];
};

/**
 * What was called in a block's transactions. Asked for apart from the block, since it may take too long or be too large. Throws a
 * `SourceError` where the rate of requests is limited.
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

/** By hash: two blocks of a number may have the same transactions. By number only of a node that knows no other way. */
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

/** Only a node that never traced is taken at its word that it does not know how: behind one address there may be several. */
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
 * A node that has not run the block yet answers with an empty list; one that was asked by number may tell of another block. Older
 * nodes answer traces without hashes.
 */
const areOf = (transactions: readonly unknown[], traces: readonly unknown[]): boolean => {
  if (traces.length === 0) return false;
  const hashes = new Set(transactions.map((tx) => fieldOf(tx, 'hash')));
  const named = traces.map((trace) => fieldOf(trace, 'txHash'));
  if (named.some((hash) => hash === undefined) && traces.length !== transactions.length) return false;
  return named.every((hash) => hash === undefined || hashes.has(hash));
};

/** A trace that is wrong is so each time it is asked for; one that is missing may have taken the node too long. */
const TRACE_PROBLEMS = new Map<string, Untraced>([
  ['trace_missing', 'for_now'],
  ['trace_malformed', 'for_good'],
  ['trace_contradicts', 'for_good'],
]);

/** The same of single transactions, by what was wrong with their traces. */
export const untracedIn = ({ problems }: DecodedBlock): Untraced | null => {
  const found = new Set(problems.map(({ code }) => TRACE_PROBLEMS.get(code)));
  return found.has('for_now') ? 'for_now' : found.has('for_good') ? 'for_good' : null;
};
