import type {
  TransactionRead,
  TransactionRequest,
  TransactionRowsRequest,
} from '../../../investigate/model/trace-reader.ts';
import {
  comparePlaces,
  HAND_OVER_KINDS,
  type ReadLimits,
  type TransactionPosition,
  type TransactionRow,
  type WholeTransactions,
} from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables, type Question, READ_AT_ONCE } from '../ask-tables.ts';
import { PLACES, toPlaces, toPosition } from './places.ts';

// For few rows conditions are cheaper here than in the engine, where each costs a twentieth of the query.
const rowsAt = (places: string): string => `
SELECT toUnixTimestamp(block_time), block_number, tx_index, from_address, to_address, asset_family, amount, tx_hash, kind, sender, authority
FROM transfers
WHERE chain = {chain:String} AND (block_number, tx_index) IN ${places} AND ${VISIBLE_ROWS}
ORDER BY block_number, tx_index, index
LIMIT {limit:UInt32}`;

const QUERY = rowsAt(PLACES);

/**
 * Rows of other tokens or of zero amounts do not count towards the limit, because a sender can fill a
 * transaction with them.
 */
const OF_ASSETS = `asset_family IN {canonicalAssets:Array(String)}
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND from_address != '' AND to_address != '' AND from_address != to_address`;
const QUERY_OF_FAMILIES = rowsAt(`${PLACES} AND ${OF_ASSETS}`);

/**
 * The table `transactions` is keyed by a hash of the transaction hash, so the hash itself must be compared,
 * too.
 */
const PLACES_OF_HASH = `
(
  SELECT block_number, tx_index FROM transactions
  WHERE hash_key = cityHash64({signature:String}) AND chain = {chain:String} AND ${VISIBLE_ROWS}
) AND tx_hash = {signature:String}`;

const ONE_QUERY = rowsAt(PLACES_OF_HASH);
const ONE_QUERY_OF_FAMILIES = rowsAt(`${PLACES_OF_HASH} AND ${OF_ASSETS}`);

const PLACES_OF_HASHES = `
(
  SELECT block_number, tx_index FROM transactions
  WHERE hash_key IN (SELECT cityHash64(arrayJoin({signatures:Array(String)}))) AND chain = {chain:String} AND ${VISIBLE_ROWS}
) AND tx_hash IN {signatures:Array(String)}`;

/** The limit applies to each transaction. */
const ofEach = (query: string): string => `${query} BY tx_hash`;
const MANY_QUERY = ofEach(rowsAt(PLACES_OF_HASHES));
const MANY_QUERY_OF_FAMILIES = ofEach(rowsAt(`${PLACES_OF_HASHES} AND ${OF_ASSETS}`));

const KINDS: ReadonlySet<string> = new Set(HAND_OVER_KINDS);

type Row = readonly [
  time: number,
  block: string,
  tx: number,
  from: string,
  to: string,
  canonicalAsset: string,
  amount: string,
  hash: string,
  kind: string,
  sender: string,
  authority: string,
];
type PositionsRequest = ReadLimits & {
  readonly chain: string;
  readonly positions: readonly TransactionPosition[];
  readonly limit: number;
};

/** One query, a short range of the key for each position. */
export const readTransactionRows = async (
  client: WarehouseClient,
  { canonicalAssets, ...request }: TransactionRowsRequest,
): Promise<readonly TransactionRow[]> => {
  const rows = await askRows(client, request, { query: QUERY_OF_FAMILIES, params: { canonicalAssets } });
  return rows.map(toRow);
};

/** The same query. */
export const readWholeTransactions = async (
  client: WarehouseClient,
  request: PositionsRequest,
): Promise<WholeTransactions> => {
  const rows = await askRows(client, request, { query: QUERY, params: {} });
  const last = rows.at(-1);
  if (last === undefined || rows.length < request.limit) return { rows: handOversOf(rows), unread: [] };
  // The last one may have more rows, and those after it were not read.
  const isComplete = (place: Pick<TransactionPosition, 'blockNumber' | 'txIndex'>): boolean =>
    comparePlaces(place, placeOf(last)) < 0;
  return {
    rows: handOversOf(rows.filter((row) => isComplete(placeOf(row)))),
    unread: request.positions.filter((position) => !isComplete(position)),
  };
};

const placeOf = ([, block, txIndex]: Row): Pick<TransactionPosition, 'blockNumber' | 'txIndex'> => ({
  blockNumber: Number(block),
  txIndex,
});

const askRows = async (
  client: WarehouseClient,
  { chain, positions, limit, ...limits }: PositionsRequest,
  { query, params }: Pick<Question, 'query' | 'params'>,
): Promise<readonly Row[]> => {
  if (positions.length === 0) return [];
  const asked = { ...params, chain, ...toPlaces(positions), limit };
  return askTables<Row>(client, { query, params: asked, settings: READ_AT_ONCE }, limits);
};

const handOversOf = (rows: readonly Row[]): TransactionRow[] =>
  rows
    .filter(([, , , , , , , , kind]) => KINDS.has(kind))
    .map(toRow)
    .filter(isHandOver);

const isHandOver = ({ from, to, amountRaw }: TransactionRow): boolean =>
  amountRaw > 0n && from !== '' && to !== '' && from !== to;

const toRow = (row: Row): TransactionRow => {
  const [blockTime, block, txIndex, from, to, canonicalAsset, amount, hash, , sender, authority] = row;
  const position = toPosition(blockTime, block, txIndex);
  const moved = {
    from,
    to,
    canonicalAsset,
    amountRaw: BigInt(amount),
    authority: authority === '' ? null : authority,
  };
  return { ...position, ...moved, hash, sender };
};

/** One query. null when no table contains it. */
export const readTransaction = async (
  client: WarehouseClient,
  { chain, limit, signature, canonicalAssets, ...limits }: TransactionRequest,
): Promise<TransactionRead | null> => {
  const params = { chain, signature, limit, ...(canonicalAssets === undefined ? {} : { canonicalAssets }) };
  const query = canonicalAssets === undefined ? ONE_QUERY : ONE_QUERY_OF_FAMILIES;
  const rows = await askTables<Row>(client, { query, params, settings: READ_AT_ONCE }, limits);
  return rows.length === 0 ? null : { rows: handOversOf(rows), isComplete: rows.length < limit };
};

/** The same for many hashes. Those that no table contains are missing. One query. */
export const readTransactions = async (
  client: WarehouseClient,
  {
    chain,
    limit,
    signatures,
    canonicalAssets,
    ...limits
  }: Omit<TransactionRequest, 'signature'> & { readonly signatures: readonly string[] },
): Promise<ReadonlyMap<string, TransactionRead>> => {
  const params = { chain, signatures, limit, ...(canonicalAssets === undefined ? {} : { canonicalAssets }) };
  const query = canonicalAssets === undefined ? MANY_QUERY : MANY_QUERY_OF_FAMILIES;
  const rows = await askTables<Row>(client, { query, params, settings: READ_AT_ONCE }, limits);
  const byHash = Map.groupBy(rows, ([, , , , , , , hash]) => hash);
  return new Map(
    [...byHash].map(
      ([hash, of]) => [hash, { rows: handOversOf(of), isComplete: of.length < limit }] as const,
    ),
  );
};
