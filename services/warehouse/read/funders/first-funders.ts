import type { FirstFunding, FunderReader } from '../../../investigate/model/funder-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

const FIRST = `
SELECT wallet, (min(first) AS one).5, one.6, toUnixTimestamp(one.4), one.1, one.2
FROM first_funders
WHERE chain = {chain:String} AND wallet IN {wallets:Array(String)}
GROUP BY wallet`;

type Row = readonly [
  wallet: string,
  funder: string,
  amount: string,
  time: number,
  block: string,
  txIndex: number,
];

/** One query, a point of the key for each wallet. */
export const readFirstFunders = async (
  client: WarehouseClient,
  { chain, wallets, ...limits }: Parameters<FunderReader['firstFunders']>[0],
): Promise<ReadonlyMap<string, FirstFunding>> => {
  if (wallets.length === 0) return new Map();
  const rows = await askTables<Row>(client, { query: FIRST, params: { chain, wallets } }, limits);
  return new Map(
    rows.map(([wallet, funder, amount, ...at]) => [
      wallet,
      { ...toPosition(...at), funder, amountRaw: BigInt(amount) },
    ]),
  );
};

const COUNTS = `
SELECT funder, count() FROM
(
  SELECT DISTINCT funder, wallet FROM funder_groups
  WHERE chain = {chain:String} AND funder IN {funders:Array(String)}
  LIMIT {most:UInt32} BY funder
)
GROUP BY funder`;

/** One query, a range of the key for each funder. */
export const readFundedCounts = async (
  client: WarehouseClient,
  { chain, funders, atMost, ...limits }: Parameters<FunderReader['fundedCounts']>[0],
): Promise<ReadonlyMap<string, number>> => {
  if (funders.length === 0) return new Map();
  const params = { chain, funders, most: atMost };
  const rows = await askTables<readonly [funder: string, count: string]>(
    client,
    { query: COUNTS, params },
    limits,
  );
  return new Map(rows.map(([funder, count]) => [funder, Number(count)]));
};
