import type { Limited, Payment } from '../../../investigate/model/case-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { handOvers } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

/** One range of the key with everything that the wallet ever paid. */
const QUERY = `
SELECT toUnixTimestamp(block_time), block_number, tx_index, counterparty, asset_family, amount
FROM account_entries
WHERE ${handOvers('out')} AND counterparty IN {to:Array(String)}
ORDER BY block_time, block_number, tx_index, index
LIMIT {limit:UInt32} BY counterparty`;

type Row = readonly [
  time: number,
  block: string,
  tx: number,
  to: string,
  canonicalAsset: string,
  amount: string,
];

/** What the wallet paid to each of those, earliest first. One query. */
export const readPayments = async (
  client: WarehouseClient,
  { chain, wallet, limit }: Limited & { readonly wallet: string },
  to: readonly string[],
  limits: ReadLimits,
): Promise<readonly (readonly Payment[])[]> => {
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, wallet, to, limit } }, limits);
  const byPayee = Map.groupBy(rows.map(toPayment), (payment) => payment.to);
  return to.map((payee) => byPayee.get(payee) ?? []);
};

const toPayment = ([time, block, tx, to, canonicalAsset, amount]: Row): Payment => ({
  ...toPosition(time, block, tx),
  to,
  canonicalAsset,
  amountRaw: BigInt(amount),
});
