import { isUnverifiedToken, listedOn } from '../../../investigate/model/asset.ts';
import { findChain } from '../../../investigate/model/chain.ts';
import type { FlowPlace, FlowsOf, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables, READ_AT_ONCE } from '../ask-tables.ts';

/** Rows of `account_entries` that a spender moved out of a wallet. */
export type AllowedMoves = {
  readonly wallets: readonly string[];
  readonly blocks: readonly number[];
  readonly transactions: readonly number[];
  readonly indexes: readonly number[];
};

/** A page of one wallet. */
export type OneWallet = FlowsOf & FlowPlace & ReadLimits & { readonly allowed: AllowedMoves };

export const NO_MOVES: AllowedMoves = { wallets: [], blocks: [], transactions: [], indexes: [] };

/** Condition for rows of the wallet's own transactions, and for these rows. */
export const ownOr = ({ wallets }: AllowedMoves): string =>
  wallets.length === 0
    ? 'is_sender'
    : `(is_sender OR (address, block_number, tx_index, index) IN arrayZip({allowed_wallets:Array(String)},
    {allowed_blocks:Array(UInt64)}, {allowed_transactions:Array(Int32)}, {allowed_indexes:Array(UInt32)}))`;

export const toAllowedParams = ({ wallets, blocks, transactions, indexes }: AllowedMoves) => ({
  ...{ allowed_wallets: wallets, allowed_blocks: blocks },
  ...{ allowed_transactions: transactions, allowed_indexes: indexes },
});

/** Of each wallet. Others' transactions with the tokens: anybody can log any number of them. */
const MOVES_MAX = 2_000;

const ofAssets = (column: string, isOne: boolean): string =>
  isOne ? `${column} = {canonicalAsset:String}` : `${column} NOT IN {listed:Array(String)}`;

/** A permit, which others submit, counts for a token that the holder used. A contract can log either of anybody. */
const grantsQuery = (isOne: boolean): string => `
SELECT address, if(asset = '', subject, asset) AS token, party, min((block_number, tx_index)) AS since
FROM control_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND role = 'holder' AND kind IN ('approval', 'permit')
  AND ${ofAssets("if(asset = '', subject, asset)", isOne)} AND amount > 0 AND detail != 'all' AND NOT startsWith(detail, 'id:')
  AND party != '' AND ${VISIBLE_ROWS}
  AND (by_holder OR (address, if(asset = '', subject, asset)) IN
  (
    SELECT DISTINCT address, toString(asset_family) FROM account_entries
    WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction IN ('in', 'out')
      AND ${ofAssets('asset_family', isOne)} AND is_sender AND amount > 0 AND ${VISIBLE_ROWS}
  ))
GROUP BY address, token, party`;

const MOVES = `
SELECT from_address, asset_family, authority, block_number, tx_index, index
FROM transfers
WHERE chain = {chain:String} AND (block_number, tx_index) IN
  (
    SELECT block_number, tx_index FROM account_entries
    WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction = 'out'
      AND block_time >= toDateTime({since:UInt32}, 'UTC')
      AND asset_family IN {tokens:Array(String)} AND NOT is_sender AND amount > 0
    ORDER BY address, block_time LIMIT ${MOVES_MAX} BY address
  )
  AND from_address IN {wallets:Array(String)} AND asset_family IN {tokens:Array(String)}
  AND authority IN {parties:Array(String)} AND ${VISIBLE_ROWS}`;

type GrantRow = readonly [wallet: string, token: string, party: string, since: readonly [string, number]];
type MoveRow = readonly [
  wallet: string,
  token: string,
  party: string,
  block: string,
  tx: number,
  index: number,
];

type Request = ReadLimits & {
  readonly chain: string;
  readonly wallets: readonly string[];
  /** null: every token that is on no list. */
  readonly canonicalAsset: string | null;
  /** Moves before it are left out. */
  readonly sinceUnixSeconds: number;
};

/**
 * What spenders moved of unlisted tokens out of wallets that had allowed it. One query for what was allowed, which mostly
 * finds nothing, and one for the moves.
 */
export const readAllowedMoves = async (
  client: WarehouseClient,
  { chain: name, wallets, canonicalAsset, sinceUnixSeconds: since, ...limits }: Request,
): Promise<AllowedMoves> => {
  const chain = findChain(name);
  if (chain === null || chain.family !== 'evm') return NO_MOVES;
  if (canonicalAsset !== null && !isUnverifiedToken(chain, canonicalAsset)) return NO_MOVES;
  const params = { chain: name, wallets, canonicalAsset: canonicalAsset ?? '', listed: listedOn(chain) };
  const query = grantsQuery(canonicalAsset !== null);
  const grants = await askTables<GrantRow>(client, { query, params }, limits);
  if (grants.length === 0) return NO_MOVES;
  const granted = new Map(grants.map(([wallet, token, party, at]) => [[wallet, token, party].join(' '), at]));
  const tokens = [...new Set(grants.map(([, token]) => token))];
  const parties = [...new Set(grants.map(([, , party]) => party))];
  const asked = {
    ...params,
    wallets: [...new Set(grants.map(([wallet]) => wallet))],
    tokens,
    parties,
    since,
  };
  const rows = await askTables<MoveRow>(
    client,
    { query: MOVES, params: asked, settings: READ_AT_ONCE },
    limits,
  );
  const moves = rows.filter(([wallet, token, party, block, tx]) => {
    const [grantBlock, grantTx] = granted.get([wallet, token, party].join(' ')) ?? ['', 0];
    if (grantBlock === '') return false;
    return BigInt(grantBlock) < BigInt(block) || (grantBlock === block && grantTx <= tx);
  });
  return {
    wallets: moves.map(([wallet]) => wallet),
    blocks: moves.map((row) => Number(row[3])),
    transactions: moves.map((row) => row[4]),
    indexes: moves.map((row) => row[5]),
  };
};
