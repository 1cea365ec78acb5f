import type { Address } from '../../../investigate/model/address.ts';
import type {
  CountedSide,
  CounterpartyCount,
  Direction,
  Meeting,
  TraceReader,
  WalletSide,
} from '../../../investigate/model/trace-reader.ts';
import { compareTransactions, type ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { ENDS_OF_MANY, endsOf, keyOf, leastsOf } from './neighbours.ts';

/**
 * Counts counterparties without listing them: for a hundred wallets it would otherwise group, sort and write
 * ten thousand rows for the few counterparties asked about.
 */
const QUERY = `
SELECT address, direction, uniqUpToIf({most:UInt8})(counterparty, in_earnest) AS others, toUnixTimestamp(min(block_time)),
  if(others > {most:UInt8}, [], groupArrayIf((counterparty, toUnixTimestamp(block_time), block_number, tx_index),
    in_earnest AND counterparty IN {among:Array(String)}))
FROM ${ENDS_OF_MANY}
GROUP BY address, direction`;

type Met = readonly [counterparty: string, time: number, block: string, tx: number];
type Row = readonly [
  wallet: string,
  direction: Direction,
  others: string,
  firstUnixSeconds: number,
  met: readonly Met[],
];

/** Larger lists are two queries, because the engine uses one core for each. */
const SIDES_ALONE = 64;

/** One query over the ranges that `neighbours` reads, or two at once. */
export const readCounterpartyCounts = async (
  client: WarehouseClient,
  of: Parameters<TraceReader['counterpartyCounts']>[0],
  asked: readonly CountedSide[],
  limits: ReadLimits,
): Promise<readonly (CounterpartyCount | null)[]> => {
  const sides = [...new Map(asked.map((side) => [keyOf(side), side])).values()];
  const among = [...new Set([...new Set(asked.map((side) => side.among))].flat())];
  const half = Math.ceil(sides.length / 2);
  const halves = sides.length > SIDES_ALONE ? [sides.slice(0, half), sides.slice(half)] : [sides];
  const counts = await Promise.all(halves.map((some) => readSome(client, { ...of, among }, some, limits)));
  const bySide = new Map(counts.flat().map((count) => [keyOf(count), count]));
  const isAmong = new Map<readonly Address[], ReadonlySet<Address>>();
  return asked.map((side) => {
    const count = bySide.get(keyOf(side));
    const own = isAmong.get(side.among) ?? new Set(side.among);
    isAmong.set(side.among, own);
    return count === undefined
      ? null
      : { ...count, met: count.met.filter(({ counterparty }) => own.has(counterparty)) };
  });
};

const readSome = async (
  client: WarehouseClient,
  {
    chain,
    canonicalAssets,
    leastRaw,
    among,
    othersMax,
  }: Parameters<TraceReader['counterpartyCounts']>[0] & { readonly among: readonly Address[] },
  sides: readonly WalletSide[],
  limits: ReadLimits,
): Promise<readonly CounterpartyCount[]> => {
  if (sides.length === 0) return [];
  const params = { chain, ...endsOf(sides, canonicalAssets), ...leastsOf(leastRaw), among, most: othersMax };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return rows.map(([wallet, direction, others, firstUnixSeconds, met]) => ({
    wallet,
    direction,
    others: Number(others),
    firstUnixSeconds,
    met: firstOfEach(met.map(toMeeting)),
  }));
};

const toMeeting = ([counterparty, blockTime, block, txIndex]: Met): Meeting => ({
  counterparty,
  first: { blockTime, blockNumber: Number(block), txIndex },
});

const firstOfEach = (met: readonly Meeting[]): Meeting[] => {
  const seen = new Set<string>();
  return met
    .toSorted((a, b) => compareTransactions(a.first, b.first) || (a.counterparty < b.counterparty ? -1 : 1))
    .filter(({ counterparty }) => !seen.has(counterparty) && seen.add(counterparty));
};
