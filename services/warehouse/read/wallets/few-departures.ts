import type { Address } from '../../../investigate/model/address.ts';
import {
  compareRows,
  HAND_OVER_KINDS,
  TRANSFER_STEP,
  type TransferFlow,
} from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables, READ_AT_ONCE } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';
import { type OneWallet, ownOr, toAllowedParams } from './allowed-moves.ts';

const OWN = 'address = {wallet:String}';

/** Rows in which the wallet's payees are searched, because a wallet that passes money on does so soon. */
const LOOKED_THROUGH = 100;
/** No amount has more than 256 bits, and the engine would truncate a larger parameter. */
const TOO_MUCH = 2n ** 256n;

// Sorting, and conditions on columns outside the key, take the engine a fifth of the query, however few the
// rows are.
const rowsOf = (wallets: string, own: string): string => `
FROM account_entries
WHERE chain = {chain:String} AND ${wallets} AND direction = 'out' AND asset_family = {canonicalAsset:String}
  AND block_time >= toDateTime({time:UInt32}, 'UTC') ${own}`;

/**
 * Also reads the large payees: half as much again as the query without them, while a second query costs as
 * much as the first.
 */
const andAhead = (own: string): string => `(${OWN} OR address IN
(
  SELECT if(amount >= {ahead:UInt256}, counterparty, '') ${rowsOf(OWN, own)}
  LIMIT ${LOOKED_THROUGH}
))`;

const query = (wallets: string, own: string): string => `
SELECT address, toUnixTimestamp(block_time), block_number, tx_index, index, counterparty, amount, kind
${rowsOf(wallets, own)} AND ${VISIBLE_ROWS_OF_A_RANGE}
LIMIT {limit:UInt32}`;

type Row = readonly [
  address: string,
  time: number,
  block: string,
  tx: number,
  index: number,
  counterparty: string,
  amount: string,
  kind: string,
];

/**
 * Everything in order that a wallet paid since a second, and what its payees of at least `aheadRaw` paid, if
 * all their rows since then are fewer than the limit; otherwise null. Only payees with rows are reported:
 * they are looked up before the rows are read, and a payment to another may arrive in between. One query.
 */
export const readFewDepartures = async (
  client: WarehouseClient,
  { chain, wallet, canonicalAsset, ownOnly, allowed, aheadRaw, from, limit, ...limits }: OneWallet,
): Promise<ReadonlyMap<Address, readonly TransferFlow[]> | null> => {
  const own = ownOnly ? `AND ${ownOr(allowed)}` : '';
  const wallets = ownOnly || aheadRaw === undefined || aheadRaw >= TOO_MUCH ? OWN : andAhead(own);
  const params = {
    chain,
    wallet,
    canonicalAsset,
    limit,
    time: from.blockTime,
    ahead: String(aheadRaw ?? 0n),
    ...toAllowedParams(allowed),
  };
  const question = { query: query(wallets, own), params, settings: READ_AT_ONCE };
  const rows = await askTables<Row>(client, question, limits);
  if (rows.length >= limit) return null;
  const byWallet = Map.groupBy(rows, ([address]) => address);
  return new Map([...byWallet].map(([address, its]) => [address, toFlows(its)]));
};

const HAND_OVERS: ReadonlySet<string> = new Set(HAND_OVER_KINDS);

const toFlows = (rows: readonly Row[]): TransferFlow[] =>
  rows
    .filter(
      ([address, , , , , counterparty, amount, kind]) =>
        HAND_OVERS.has(kind) && amount !== '0' && counterparty !== '' && counterparty !== address,
    )
    .map(([, blockTime, block, txIndex, index, counterparty, amount]) => ({
      ...toPosition(blockTime, block, txIndex),
      type: 'transfer' as const,
      step: TRANSFER_STEP + index,
      counterparty,
      amountRaw: BigInt(amount),
    }))
    .sort(compareRows);
