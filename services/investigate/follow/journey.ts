import type { Address } from '../model/address.ts';
import { type AssetFamily, assetSymbol, knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import type { UnbrokenSpan } from '../model/transfer-reader.ts';
import type { BudgetedRead } from './follow-reader.ts';
import type { PageSizes } from './gather-outgoing.ts';
import type { Histories } from './know-wallet.ts';
import type { Arrival } from './outgoing.ts';
import type { FollowedAsset, FollowRequest } from './trail.ts';

/** Everything that stays the same along one trail. */
export type Journey = {
  readonly request: FollowRequest;
  readonly asset: FollowedAsset;
  readonly read: BudgetedRead;
  readonly pages: PageSizes;
  readonly histories: Histories;
  /** Asked for once, beside whatever is read first. */
  readonly span: Promise<UnbrokenSpan | null>;
};

/** Where the trail stands: the last wallet, and the money that reached it; null at the start, where no amount was named. */
export type Stand = { readonly wallet: Address; readonly arrivals: readonly Arrival[] | null };

export const toAsset = async (
  chain: Chain,
  family: AssetFamily,
  read: BudgetedRead,
): Promise<FollowedAsset> => ({
  family,
  symbol: assetSymbol(chain, family),
  decimals:
    knownDecimals(chain, family) ??
    (await read((reader, limits) => reader.decimals({ chain: chain.name, asset: family, ...limits }))),
});

export const readLabels = (
  { read, request }: Journey,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, Label>> =>
  read((reader, limits) => reader.labels({ chain: request.chain.name, addresses, ...limits }));
