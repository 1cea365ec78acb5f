import { SourceError } from '../nodes/source-error.ts';
import type { RpcAnswer, RpcFailure } from './evm-rpc.ts';

const QUANTITY = /^0x[0-9a-f]{1,14}$/i;

/** A number in hex, or plain as in traces; null for anything else. */
export const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && QUANTITY.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
};

/** The node's own error; null where it answered. */
export const failureOf = (answer: RpcAnswer | undefined): RpcFailure | null =>
  answer !== undefined && 'failure' in answer ? answer.failure : null;

/** Pruned nodes have many sentences for "no trace of a transaction this old". */
export const isStateGone = (message: string): boolean =>
  /state.*(not available|unavailable|missing|pruned)|missing trie node|pruned|no state|historical/i.test(
    message,
  );

/** Waiting does not make an answer smaller. */
export const isTooLarge = (message: string): boolean =>
  /too (big|large)|(size|bytes|results).*(exceed|limit)|exceed.*(size|bytes|results)|more than \d+ results/i.test(
    message,
  );

/** Throws the node's own error as a `SourceError`. */
export const resultOf = (answer: RpcAnswer | undefined): unknown => {
  if (answer === undefined)
    throw new SourceError('not_json', 'the node left a call unanswered', { transient: true });
  if ('result' in answer) return answer.result;
  const { kind, message } = answer.failure;
  const code = kind === 'rate_limited' ? 'rate_limited' : 'rpc_error';
  throw new SourceError(code, message, { transient: kind === 'rate_limited' || kind === 'transient' });
};
