import type { PriceReader } from '../../model/price-reader.ts';
import type { Asking } from '../../model/query.ts';
import type { TraceReader } from '../../model/trace-reader.ts';
import { type ReadLimits, type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import type { Kind, Reads } from '../../session/kind.ts';
import { kind } from '../../session/kinds/make-kind.ts';
import { joinCounts } from './join-counts.ts';

/** Answers requests of one kind, in their order. */
export type AskAll<Request, Answer> = (
  requests: readonly Omit<Request, keyof ReadLimits>[],
  limits: ReadLimits,
) => Promise<readonly Answer[]>;

/** A kind whose keys are whole requests. */
type OfRequests<Method> = Method extends (request: infer Request) => Promise<infer Answer>
  ? Kind<object, Omit<Request, keyof ReadLimits>, Answer>
  : never;

/** The kinds of one trace, or of many. */
export type TraceKinds = { readonly [Method in keyof TraceReader]: OfRequests<TraceReader[Method]> } & {
  readonly prices: OfRequests<PriceReader['prices']>;
};

export const ofRequests = <Request, Answer>(
  ask: AskAll<Request, Answer>,
  options: { readonly isKept?: boolean; readonly keysMax?: number } = {},
) =>
  kind<object, Omit<Request, keyof ReadLimits>, Answer>({
    query: (_, requests, limits) => ask(requests, limits),
    ...options,
  });

type One<Request, Answer> = (request: Request) => Promise<Answer>;

const alone = <Request extends ReadLimits, Answer>(ask: One<Request, Answer>, isKept = false) =>
  ofRequests<Request, Answer>(
    (requests, limits) => Promise.all(requests.map((request) => ask({ ...request, ...limits } as Request))),
    { isKept, keysMax: 1 },
  );

/**
 * For one trace. What the search asks again, and what was asked ahead of it, is kept. Counts of counterparties are one query a turn:
 * planning a query costs as much as reading some twenty wallets.
 */
export const traceKinds = (tables: TraceReader, prices: PriceReader): TraceKinds => {
  const reader = knowHashes(tables);
  return {
    transactionHashes: alone(reader.transactionHashes),
    labels: alone(reader.labels),
    transactionRows: alone(reader.transactionRows),
    transaction: alone(reader.transaction),
    services: alone(reader.services),
    serviceWallets: alone(reader.serviceWallets, true),
    serviceTransfers: alone(reader.serviceTransfers, true),
    walletTransfers: alone(reader.walletTransfers, true),
    neighbours: alone(reader.neighbours, true),
    counterpartyCounts: ofRequests(joinCounts(reader)),
    partlyRead: alone(reader.partlyRead),
    transfersBetween: alone(reader.transfersBetween),
    indexedSpan: alone(reader.indexedSpan, true),
    hasGaps: alone(reader.hasGaps),
    prices: alone(prices.prices),
  };
};

/** Rows read for fees already carry their hashes, which are not queried again. */
const knowHashes = (reader: TraceReader): TraceReader => {
  const known = new Map<string, string>();
  const keyOf = (chain: string, position: TransactionPosition): string =>
    `${chain} ${transactionKey(position)}`;
  return {
    ...reader,
    transactionRows: async (request) => {
      const rows = await reader.transactionRows(request);
      for (const row of rows) known.set(keyOf(request.chain, row), row.hash);
      return rows;
    },
    transactionHashes: async (request) => {
      const { chain, positions } = request;
      const unknown = positions.filter((position) => !known.has(keyOf(chain, position)));
      const read = await reader.transactionHashes({ ...request, positions: unknown });
      for (const [index, position] of unknown.entries()) {
        const hash = read[index];
        if (hash) known.set(keyOf(chain, position), hash);
      }
      return positions.map((position) => known.get(keyOf(chain, position)) ?? null);
    },
  };
};

export type TraceReads = {
  readonly reader: Asking<TraceReader>;
  readonly prices: Asking<PriceReader>;
};

/** Requests in place of keys. */
export const askByRequest = (reads: Reads<TraceKinds>): TraceReads => {
  const methods = Object.entries(reads as Readonly<Record<string, AskRequests>>).map(
    ([name, ask]) => [name, async (request: object) => (await ask({}, [request]))[0]] as const,
  );
  const reader = Object.fromEntries(methods) as Asking<TraceReader> & Asking<PriceReader>;
  return { reader, prices: { prices: reader.prices } };
};

type AskRequests = (common: object, requests: readonly object[]) => Promise<readonly unknown[]>;
