import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { Untraced } from '../nodes/block-source.ts';
import { SourceError } from '../nodes/source-error.ts';
import type { ChainRules } from './chain-rules.ts';
import type { RpcAnswer } from './evm-rpc.ts';
import { fieldOf } from './read-hex.ts';
import { isStateGone, listOf, resultOf } from './rpc-answer.ts';

export type Traces = {
  /** As the node gave them; null where it gave none that can be those of the block. */
  readonly traces: readonly unknown[] | null;
  readonly untraced: Untraced | null;
};

/** Whether a node traces; null until it has said so. */
export type TracesOffered = { traces: boolean | null };

/** The transactions of a block, as its node gave them; what the chain's client itself runs has no traces. */
export type Traceable = Pick<ChainRules, 'untracedSender'> & { readonly transactions: readonly unknown[] };

/**
 * What a node said when it was asked to trace a block, or the error that came instead; undefined where it was not asked. Only
 * one that never traced is taken at its word that it does not know how: behind one address there may be several nodes.
 * Throws a `SourceError` where the rate of requests is limited.
 */
export const readTraces = (
  answer: RpcAnswer | SourceError | undefined,
  { transactions, untracedSender }: Traceable,
  offered: TracesOffered,
): Traces => {
  if (answer === undefined) return { traces: null, untraced: 'for_good' };
  if (answer instanceof SourceError) return ofError(answer);
  if ('failure' in answer) {
    const { kind, message } = answer.failure;
    if (kind === 'rate_limited') resultOf(answer);
    if (kind === 'method_missing') offered.traces ??= false;
    const isForGood = offered.traces === false || isStateGone(message);
    return { traces: null, untraced: isForGood ? 'for_good' : 'for_now' };
  }
  offered.traces = true;
  const traces = listOf(answer.result);
  return areOf({ transactions, untracedSender }, traces)
    ? { traces, untraced: null }
    : { traces: null, untraced: 'for_now' };
};

const ofError = (error: SourceError): Traces => {
  if (error.code === 'rate_limited') throw error;
  return { traces: null, untraced: error.transient ? 'for_now' : 'for_good' };
};

/**
 * A node that has not run the block yet answers with an empty list; and between two calls the chain may have changed its mind.
 * Older nodes answer traces without hashes.
 */
const areOf = ({ transactions, untracedSender }: Traceable, traces: readonly unknown[]): boolean => {
  if (traces.length === 0) return transactions.every((tx) => fieldOf(tx, 'from') === untracedSender);
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
