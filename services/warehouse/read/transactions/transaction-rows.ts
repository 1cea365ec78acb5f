import type { CanonicalAsset } from '../../../investigate/model/asset.ts';
import type { Limited, PlacedMovement } from '../../../investigate/model/case-reader.ts';
import type { TransactionRead } from '../../../investigate/model/trace-reader.ts';
import {
  comparePlaces,
  HAND_OVER_KINDS,
  type ReadLimits,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables, type Question, READ_AT_ONCE } from '../ask-tables.ts';
import { MOVEMENT_COLUMNS, type MovementRow, toMovement } from './movement-rows.ts';
import { PLACES, toPlaces } from './places.ts';

// For few rows conditions are cheaper here than in the engine, where each costs a twentieth of the query.
const rowsAt = (places: string): string => `
SELECT ${MOVEMENT_COLUMNS}
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
const PLACES_OF_HASHES = `
(
  SELECT block_number, tx_index FROM transactions
  WHERE hash_key IN (SELECT cityHash64(arrayJoin({signatures:Array(String)}))) AND chain = {chain:String} AND ${VISIBLE_ROWS}
) AND tx_hash IN {signatures:Array(String)}`;

/** The limit applies to each transaction. */
const ofEach = (query: string): string => `${query} BY tx_hash`;
const BY_HASH = ofEach(rowsAt(PLACES_OF_HASHES));
const BY_HASH_OF_FAMILIES = ofEach(rowsAt(`${PLACES_OF_HASHES} AND ${OF_ASSETS}`));

const KINDS: ReadonlySet<string> = new Set(HAND_OVER_KINDS);

/** One query, a short range of the key for each position. */
export const readTransactionRows = async (
  client: WarehouseClient,
  { canonicalAssets, ...common }: Limited & { readonly canonicalAssets: readonly CanonicalAsset[] },
  positions: readonly TransactionPosition[],
  limits: ReadLimits,
): Promise<readonly (readonly TransactionRow[] | null)[]> => {
  const question = { query: QUERY_OF_FAMILIES, params: { canonicalAssets } };
  return rowsAtEach(await askRows(client, { ...common, positions }, question, limits), positions, {
    limit: common.limit,
    toRows: (of) => of.map((row) => toRow(toMovement(row))),
  });
};

/** Every row. One query, a short range of the key for each position. */
export const readMovementsAt = async (
  client: WarehouseClient,
  common: Limited,
  positions: readonly TransactionPosition[],
  limits: ReadLimits,
): Promise<readonly (readonly PlacedMovement[] | null)[]> => {
  const rows = await askRows(client, { ...common, positions }, { query: QUERY, params: {} }, limits);
  return rowsAtEach(rows, positions, { limit: common.limit, toRows: (of) => of.map(toMovement) });
};

/** The same query. */
export const readWholeTransactions = async (
  client: WarehouseClient,
  ...asked: readonly [Limited, readonly TransactionPosition[], ReadLimits]
): Promise<readonly (readonly TransactionRow[] | null)[]> =>
  (await readMovementsAt(client, ...asked)).map((of) => of && handOversOf(of));

type Telling<Told> = {
  readonly limit: number;
  readonly toRows: (rows: readonly MovementRow[]) => readonly Told[];
};

/** Where rows reach the limit, the last transaction may have more, and those after it were not read. */
const rowsAtEach = <Told>(
  rows: readonly MovementRow[],
  positions: readonly TransactionPosition[],
  { limit, toRows }: Telling<Told>,
): readonly (readonly Told[] | null)[] => {
  const last = rows.length < limit ? undefined : rows.at(-1);
  const byPlace = Map.groupBy(rows, (row) => transactionKey(placeOf(row)));
  return positions.map((position) =>
    last === undefined || comparePlaces(position, placeOf(last)) < 0
      ? toRows(byPlace.get(transactionKey(position)) ?? [])
      : null,
  );
};

const placeOf = ([, block, txIndex]: MovementRow): Pick<TransactionPosition, 'blockNumber' | 'txIndex'> => ({
  blockNumber: Number(block),
  txIndex,
});

const askRows = async (
  client: WarehouseClient,
  { chain, positions, limit }: Limited & { readonly positions: readonly TransactionPosition[] },
  { query, params }: Pick<Question, 'query' | 'params'>,
  limits: ReadLimits,
): Promise<readonly MovementRow[]> => {
  if (positions.length === 0) return [];
  const asked = { ...params, chain, ...toPlaces(positions), limit };
  return askTables<MovementRow>(client, { query, params: asked, settings: READ_AT_ONCE }, limits);
};

const handOversOf = (rows: readonly PlacedMovement[]): TransactionRow[] =>
  rows
    .filter(({ kind }) => KINDS.has(kind))
    .map(toRow)
    .filter(isHandOver);

const isHandOver = ({ from, to, amountRaw }: TransactionRow): boolean =>
  amountRaw > 0n && from !== '' && to !== '' && from !== to;

const toRow = ({ kind: _, from, to, ...row }: PlacedMovement): TransactionRow => ({
  ...row,
  from: from ?? '',
  to: to ?? '',
});

/** Transactions by their hashes; null for those that no table contains. One query. */
export const readTransactions = async (
  client: WarehouseClient,
  { chain, limit, canonicalAssets }: Limited & { readonly canonicalAssets?: readonly CanonicalAsset[] },
  signatures: readonly string[],
  limits: ReadLimits,
): Promise<readonly (TransactionRead | null)[]> => {
  const params = { chain, signatures, limit, ...(canonicalAssets === undefined ? {} : { canonicalAssets }) };
  const query = canonicalAssets === undefined ? BY_HASH : BY_HASH_OF_FAMILIES;
  const rows = await askTables<MovementRow>(client, { query, params, settings: READ_AT_ONCE }, limits);
  const byHash = Map.groupBy(rows.map(toMovement), ({ hash }) => hash);
  return signatures.map((signature) => {
    const of = byHash.get(signature);
    return of === undefined ? null : { rows: handOversOf(of), isComplete: of.length < limit };
  });
};
