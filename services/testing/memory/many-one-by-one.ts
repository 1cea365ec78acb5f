import type { Many, ManyReader } from '../../investigate/model/many-reader.ts';
import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';

/** What many questions at once must be answered with. */
export const manyOneByOne = (reader: TraceReader): ManyReader => {
  const each =
    <Request extends ReadLimits, Answer>(ask: (request: Request) => Promise<Answer>) =>
    (requests: Many<Request>, limits: ReadLimits): Promise<readonly Answer[]> =>
      Promise.all(requests.map((request) => ask({ ...request, ...limits } as Request)));
  return {
    ...reader,
    transactionsOf: each(reader.transaction),
    serviceTransfersOf: each(reader.serviceTransfers),
    walletTransfersOf: each(reader.walletTransfers),
    neighboursOf: each(reader.neighbours),
  };
};
