import type { Many, ManyReader } from '../../model/many-reader.ts';
import type { PriceReader } from '../../model/price-reader.ts';
import type {
  CounterpartyCount,
  CounterpartyCountsRequest,
  Neighbour,
  NeighboursRequest,
  TransactionRowsRequest,
  WalletSide,
} from '../../model/trace-reader.ts';
import { type ReadLimits, type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import { ofRequests, type TraceKinds } from '../reading/trace-kinds.ts';
import { type AskMany, askEach, unite } from './unite.ts';

/** Addresses, transactions and times in one query. */
const NAMED_MAX = 2_000;
/** Sides of wallets; each is several ranges of a key. */
const SIDES_MAX = 512;

/** Requests of one list, so that its answers fit into memory. */
const LIST_MAX = 1_000;

/**
 * For many traces that run at once: requests of one kind are joined into few queries. Each answer equals the reader's answer to the
 * single request.
 */
export const sharedKinds = (reader: ManyReader, prices: PriceReader): TraceKinds => ({
  services: joined((limits) => uniteAddresses(reader.services, limits)),
  labels: joined((limits) => uniteAddresses(reader.labels, limits)),
  transaction: joined((limits) => (requests) => reader.transactionsOf(requests, limits)),
  serviceTransfers: joined((limits) => (requests) => reader.serviceTransfersOf(requests, limits), true),
  walletTransfers: joined((limits) => (requests) => reader.walletTransfersOf(requests, limits), true),
  transactionRows: joined((limits) => uniteRows(reader, limits)),
  transactionHashes: joined((limits) =>
    unite(
      ({ chain }) => ({ chain }),
      ({ positions }) => positions,
      {
        keyOf: placeKey,
        perQuestion: NAMED_MAX,
        ask: async ({ chain }, positions) => {
          const hashes = await reader.transactionHashes({ chain, positions, ...limits });
          return new Map(positions.map((position, index) => [placeKey(position), hashes[index] ?? null]));
        },
      },
      (found) => {
        const all = new Map(found.flatMap((some) => [...some]));
        return ({ positions }) => positions.map((position) => all.get(placeKey(position)) ?? null);
      },
    ),
  ),
  neighbours: joined((limits) => uniteNeighbours(reader, limits), true),
  counterpartyCounts: joined((limits) => uniteCounterpartyCounts(reader, limits)),
  partlyRead: joined((limits) =>
    unite(
      ({ sides: _, ...rest }) => rest,
      ({ sides }) => sides,
      {
        keyOf: sideKey,
        perQuestion: SIDES_MAX,
        ask: (rest, sides) => reader.partlyRead({ ...rest, ...limits, sides }),
      },
      (found) => {
        const all = new Set(found.flat().map(sideKey));
        return ({ sides }) => sides.filter((side) => all.has(sideKey(side)));
      },
    ),
  ),
  serviceWallets: each(reader.serviceWallets, true),
  transfersBetween: each(reader.transfersBetween),
  indexedSpan: each(reader.indexedSpan, true),
  hasGaps: each(reader.hasGaps),
  prices: joined((limits) =>
    unite(
      ({ chain }) => ({ chain }),
      ({ moments }) => moments,
      {
        keyOf: momentKey,
        perQuestion: NAMED_MAX,
        ask: async ({ chain }, moments) => {
          const known = await prices.prices({ chain, moments, ...limits });
          return new Map(moments.map((moment, index) => [momentKey(moment), known[index] ?? null]));
        },
      },
      (found) => {
        const all = new Map(found.flatMap((some) => [...some]));
        return ({ moments }) => moments.map((moment) => all.get(momentKey(moment)) ?? null);
      },
    ),
  ),
});

const joined = <Request, Answer>(build: (limits: ReadLimits) => AskMany<Request, Answer>, isKept = false) =>
  ofRequests<Request, Answer>((requests, limits) => build(limits)(requests as Many<Request>), {
    isKept,
    keysMax: LIST_MAX,
  });

const each = <Request extends ReadLimits, Answer>(
  ask: (request: Request) => Promise<Answer>,
  isKept = false,
) =>
  joined<Request, Answer>(
    (limits) => askEach<Request, Answer>((asked) => ask({ ...asked, ...limits } as Request)),
    isKept,
  );

type Addressed = ReadLimits & { readonly chain: string; readonly addresses: readonly string[] };

const uniteAddresses = <Answer>(
  ask: (request: Addressed) => Promise<ReadonlyMap<string, Answer>>,
  limits: ReadLimits,
): AskMany<Addressed, ReadonlyMap<string, Answer>> =>
  unite(
    ({ chain }) => ({ chain }),
    ({ addresses }) => addresses,
    {
      keyOf: (address: string) => address,
      perQuestion: NAMED_MAX,
      ask: (rest, addresses) => ask({ ...rest, ...limits, addresses }),
    },
    (found) => {
      const all = new Map(found.flatMap((some) => [...some]));
      return ({ addresses }) => pickKeys(all, addresses);
    },
  );

const momentKey = ({
  canonicalAsset,
  timeUnixSeconds,
}: {
  canonicalAsset: string;
  timeUnixSeconds: number;
}): string => `${timeUnixSeconds} ${canonicalAsset}`;
const sideKey = ({ wallet, direction }: WalletSide): string => `${direction} ${wallet}`;
/** With its time: a position with another time is a different one. */
const placeKey = (place: { blockTime: number; blockNumber: number; txIndex: number }): string =>
  `${place.blockTime} ${transactionKey(place)}`;

const pickKeys = <Value>(all: ReadonlyMap<string, Value>, keys: readonly string[]): Map<string, Value> => {
  const picked = new Map<string, Value>();
  for (const key of keys) {
    const value = all.get(key);
    if (value !== undefined) picked.set(key, value);
  }
  return picked;
};

/** Rows beyond the limit of one query are missing. Then each request runs alone. */
const uniteRows = (
  reader: ManyReader,
  limits: ReadLimits,
): AskMany<TransactionRowsRequest, readonly TransactionRow[]> =>
  unite(
    ({ positions: _, ...rest }) => rest,
    ({ positions }) => positions,
    {
      keyOf: transactionKey,
      perQuestion: NAMED_MAX,
      ask: async (rest, positions) => {
        const rows = await reader.transactionRows({ ...rest, ...limits, positions });
        return { rows, isComplete: rows.length < rest.limit };
      },
    },
    (found) => {
      const isComplete = found.every((one) => one.isComplete);
      const byPlace = Map.groupBy(isComplete ? found.flatMap(({ rows }) => rows) : [], transactionKey);
      return async (request) => {
        if (!isComplete) return reader.transactionRows({ ...request, ...limits });
        const places = new Map(request.positions.map((position) => [transactionKey(position), position]));
        return [...places.values()]
          .sort((a, b) => a.blockNumber - b.blockNumber || a.txIndex - b.txIndex)
          .flatMap((position) => byPlace.get(transactionKey(position)) ?? []);
      };
    },
  );

/** Above this many counterparties a reader treats a single wallet differently from many. */
const isOfOne = ({ sides, perSideMax }: Pick<NeighboursRequest, 'sides' | 'perSideMax'>): boolean =>
  perSideMax > 100 && sides.every(({ wallet }) => wallet === sides[0]?.wallet);

const uniteNeighbours = (
  reader: ManyReader,
  limits: ReadLimits,
): AskMany<NeighboursRequest, readonly Neighbour[]> => {
  const askSides = unite(
    ({ sides: _, ...rest }) => rest,
    ({ sides }) => sides,
    {
      keyOf: sideKey,
      perQuestion: SIDES_MAX,
      ask: (rest, sides) => reader.neighbours({ ...rest, ...limits, sides }),
    },
    (found) => {
      const bySide = Map.groupBy(found.flat(), sideKey);
      return ({ sides }: Pick<NeighboursRequest, 'sides'>) =>
        sides.flatMap((side) => bySide.get(sideKey(side)) ?? []);
    },
  ) as AskMany<NeighboursRequest, readonly Neighbour[]>;
  const askOnes: AskMany<NeighboursRequest, readonly Neighbour[]> = (asked) =>
    reader.neighboursOf(asked, limits);
  return async (requests) => {
    const [ones, others] = [requests.filter(isOfOne), requests.filter((request) => !isOfOne(request))];
    const [ofOnes, ofOthers] = await Promise.all([
      ones.length === 0 ? [] : askOnes(ones),
      others.length === 0 ? [] : askSides(others),
    ]);
    const answers = { ones: ofOnes.values(), others: ofOthers.values() };
    return requests.map((request) => {
      const { value } = (isOfOne(request) ? answers.ones : answers.others).next();
      return (value ?? []) as readonly Neighbour[];
    });
  };
};

type CircleSide = { readonly side: WalletSide; readonly among: ReadonlySet<string> };

/** The candidates to find among each side's counterparties travel with the request. */
const uniteCounterpartyCounts = (
  reader: ManyReader,
  limits: ReadLimits,
): AskMany<CounterpartyCountsRequest, readonly CounterpartyCount[]> => {
  return async (requests: Many<CounterpartyCountsRequest>) => {
    const amongOf = new Map<string, Set<string>>();
    for (const { sides, among } of requests) {
      for (const side of sides) {
        const known = amongOf.get(sideKey(side)) ?? new Set();
        for (const address of among) known.add(address);
        amongOf.set(sideKey(side), known);
      }
    }
    const ask = unite<
      CounterpartyCountsRequest,
      Omit<CounterpartyCountsRequest, keyof ReadLimits | 'sides' | 'among'>,
      CircleSide,
      readonly CounterpartyCount[],
      readonly CounterpartyCount[]
    >(
      ({ sides: _, among: __, ...rest }) => rest,
      ({ sides }) => sides.map((side) => ({ side, among: amongOf.get(sideKey(side)) ?? new Set() })),
      {
        keyOf: ({ side }: CircleSide) => sideKey(side),
        perQuestion: SIDES_MAX,
        ask: (rest, asked) =>
          reader.counterpartyCounts({
            ...rest,
            ...limits,
            sides: asked.map(({ side }) => side),
            among: [...new Set(asked.flatMap(({ among }) => [...among]))],
          }),
      },
      (found) => {
        const bySide = new Map(found.flat().map((count) => [sideKey(count), count]));
        return ({ sides, among }) => {
          const own = new Set(among);
          return sides.flatMap((side) => {
            const count = bySide.get(sideKey(side));
            if (count === undefined) return [];
            return [{ ...count, met: count.met.filter(({ counterparty }) => own.has(counterparty)) }];
          });
        };
      },
    );
    return ask(requests);
  };
};
