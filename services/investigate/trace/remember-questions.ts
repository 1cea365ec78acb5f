import type { TraceReader } from '../model/trace-reader.ts';
import type { ReadLimits } from '../model/transfer-reader.ts';

/**
 * A reader for one trace that caches its queries: the same query again gets the same answer, or the one that
 * is still running, with the limits of the first caller.
 */
export const rememberQuestions = (reader: TraceReader): TraceReader => ({
  ...reader,
  indexedSpan: remember(reader.indexedSpan),
  neighbours: remember(reader.neighbours),
  serviceWallets: remember(reader.serviceWallets),
  serviceTransfers: remember(reader.serviceTransfers),
  walletTransfers: remember(reader.walletTransfers),
});

const remember = <Request extends ReadLimits, Answer>(
  ask: (request: Request) => Promise<Answer>,
): ((request: Request) => Promise<Answer>) => {
  const answers = new Map<string, Promise<Answer>>();
  return (request) => {
    const { signal, timeoutMs, ...asked } = request;
    const key = JSON.stringify(asked, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
    const answer = answers.get(key) ?? ask(request);
    answers.set(key, answer);
    return answer;
  };
};
