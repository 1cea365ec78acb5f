import type { EvmRpc, RpcAnswer } from '../../evm/evm-rpc.ts';
import { failureOf, resultOf } from '../../evm/rpc-answer.ts';
import { type RetryLimits, retryTransient } from '../../nodes/source-error.ts';

export type Ask = EvmRpc['ask'];

/** Asks again after transient failures, and while the rate is limited. */
export const createAsk =
  (rpc: EvmRpc, retry?: RetryLimits): Ask =>
  (calls, signal) =>
    retryTransient(async () => (await rpc.ask(calls, signal)).map(refuseLimited), signal, retry);

/** A rate limit is no answer: the question is repeated. */
const refuseLimited = (answer: RpcAnswer): RpcAnswer => {
  if (failureOf(answer)?.kind === 'rate_limited') resultOf(answer);
  return answer;
};
