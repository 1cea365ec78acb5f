import type { Address } from '../model/address.ts';
import type { Backfills } from '../model/backfills.ts';
import type { Label } from '../model/label.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';
import type { DetailsReader } from './details/read-details.ts';
import type { Direction } from './direction.ts';
import type { BudgetedRead } from './follow-reader.ts';
import type { Refunds } from './inner/refunds.ts';
import type { Stake } from './payments/inflow.ts';
import type { PageSizes } from './rules.ts';
import type { FollowedAsset, FollowRequest } from './trail.ts';

/** Everything that stays the same along one trail. */
export type FollowContext = {
  readonly request: FollowRequest;
  readonly direction: Direction;
  readonly asset: FollowedAsset;
  readonly read: BudgetedRead;
  readonly pages: PageSizes;
  readonly backfills: Backfills;
  /** Read once, together with the first read. */
  readonly span: Promise<ContiguousRange | null>;
  readonly details: Pick<DetailsReader, 'begin'>;
  /** Grows along the trail. */
  readonly refunds: Refunds;
};

/** The last wallet of the trail, and the money that reached it. */
export type FollowedWallet = { readonly wallet: Address; readonly stake: Stake };

export const readLabels = (
  { read, request }: FollowContext,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, Label>> =>
  read((reader, limits) => reader.labels({ chain: request.chain.name, addresses, ...limits }));
