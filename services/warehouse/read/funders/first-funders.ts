import type { FirstFunding } from '../../../investigate/model/funder-reader.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
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
  { chain }: OnChain,
  wallets: readonly string[],
  limits: ReadLimits,
): Promise<readonly (FirstFunding | null)[]> => {
  const rows = await askTables<Row>(client, { query: FIRST, params: { chain, wallets } }, limits);
  const first = new Map(
    rows.map(([wallet, funder, amount, ...at]) => [
      wallet,
      { ...toPosition(...at), funder, amountRaw: BigInt(amount) },
    ]),
  );
  return wallets.map((wallet) => first.get(wallet) ?? null);
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
  { chain, atMost: most }: OnChain & { readonly atMost: number },
  funders: readonly string[],
  limits: ReadLimits,
): Promise<readonly number[]> => {
  const question = { query: COUNTS, params: { chain, funders, most } };
  const counts = new Map(await askTables<readonly [funder: string, count: string]>(client, question, limits));
  return funders.map((funder) => Number(counts.get(funder) ?? 0));
};
