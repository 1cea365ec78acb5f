import { listedOn } from '../../../investigate/model/asset.ts';
import { findChain } from '../../../investigate/model/chain.ts';
import { NATIVE } from '../../../investigate/model/movement.ts';
import type {
  AssetSent,
  AssetsReceivedRequest,
  AssetsSentRequest,
  WalletRequest,
} from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { exactSum, handOvers, toExactSum } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';
import { NO_MOVES, ownOr, readAllowedMoves, toAllowedParams } from './allowed-moves.ts';

/**
 * A poisoned wallet has thousands of worthless assets, because anybody can log them. Listed assets come
 * first, then those of the wallet's own transactions, which nobody else can create. Of the others the
 * earliest are enough.
 */
const FAMILIES_MAX = 10_000;

/** Outflows from a time on, the earliest of each asset first; or inflows until a time, the latest first. */
type MovedSide = {
  readonly direction: 'out' | 'in';
  readonly after: '>' | '<';
  readonly first: 'min' | 'max';
  readonly order: 'ASC' | 'DESC';
};
const OUT: MovedSide = { direction: 'out', after: '>', first: 'min', order: 'ASC' };
const IN: MovedSide = { direction: 'in', after: '<', first: 'max', order: 'DESC' };

const assetsMovedQuery = ({ direction, after, first, order }: MovedSide, own: string): string => `
SELECT asset_family,
  ${first}((toUnixTimestamp(block_time), block_number, tx_index)) AS first,
  ${exactSum('1')},
  countIf(${own}),
  ${first}If((toUnixTimestamp(block_time), block_number, tx_index), ${own}),
  ${exactSum(own)}
FROM account_entries
WHERE ${handOvers(direction)} AND NOT (asset_family = {coin:String} AND counterparty = {wrapped:String})
  AND block_time ${after}= toDateTime({time:UInt32}, 'UTC')
GROUP BY asset_family
ORDER BY asset_family IN {listed:Array(String)} DESC, countIf(${own}) > 0 DESC, first ${order}
LIMIT {limit:UInt32}`;

type FirstPlace = readonly [time: number, block: string, tx: number];
type Row = readonly [
  canonicalAsset: string,
  first: FirstPlace,
  sum: string,
  upper: string,
  ownRows: string,
  ownFirst: FirstPlace,
  ownSum: string,
  ownUpper: string,
];

const readAssetsMoved = async (
  client: WarehouseClient,
  side: MovedSide,
  { chain, wallet, time, ...limits }: WalletRequest & { readonly time: number },
): Promise<readonly AssetSent[]> => {
  const found = findChain(chain);
  const listed = found === null ? [] : listedOn(found);
  const wrapped = found?.wrappedNative ?? '';
  const allowed =
    side.direction === 'out'
      ? await readAllowedMoves(client, {
          ...{ chain, wallets: [wallet], canonicalAsset: null, sinceUnixSeconds: time },
          ...limits,
        })
      : NO_MOVES;
  const params = {
    ...{ chain, wallet, time, coin: NATIVE, wrapped, listed, limit: FAMILIES_MAX },
    ...toAllowedParams(allowed),
  };
  const rows = await askTables<Row>(
    client,
    { query: assetsMovedQuery(side, ownOr(allowed)), params },
    limits,
  );
  return rows.map(([canonicalAsset, first, sum, upper, ownRows, ownFirst, ownSum, ownUpper]) => ({
    canonicalAsset,
    first: toPosition(...first),
    sumRaw: toExactSum(sum, upper),
    own: ownRows === '0' ? null : { first: toPosition(...ownFirst), sumRaw: toExactSum(ownSum, ownUpper) },
  }));
};

/** One query over the wallet's outflows, of any asset. */
export const readAssetsSent = (
  client: WarehouseClient,
  { sinceUnixSeconds: time, ...request }: AssetsSentRequest,
): Promise<readonly AssetSent[]> => readAssetsMoved(client, OUT, { ...request, time });

/** One query over its inflows. */
export const readAssetsReceived = (
  client: WarehouseClient,
  { untilUnixSeconds: time, ...request }: AssetsReceivedRequest,
): Promise<readonly AssetSent[]> => readAssetsMoved(client, IN, { ...request, time });
