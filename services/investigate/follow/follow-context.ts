import type { Address } from '../model/address.ts';
import type { Backfills } from '../model/backfills.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';
import type { ReadPage } from '../session/flow-pages.ts';
import type { DetailsReader } from './details/read-details.ts';
import type { Direction } from './direction.ts';
import type { FollowReads } from './follow-reader.ts';
import type { Refunds } from './inner/refunds.ts';
import type { Stake } from './payments/inflow.ts';
import type { PageSizes } from './rules.ts';
import type { FollowedAsset, FollowRequest } from './trail.ts';

/** Everything that stays the same along one trail. */
export type FollowContext = {
  readonly request: FollowRequest;
  readonly direction: Direction;
  readonly asset: FollowedAsset;
  readonly reads: FollowReads;
  /** The same, with so much of the time kept back instead. */
  readonly keeping: (keptMs: number) => FollowReads;
  readonly readPage: ReadPage;
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
  { reads, request }: FollowContext,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, Label>> => readLabelsOn(request.chain.name, addresses, reads);

export const readLabelsOn = async (
  chain: string,
  addresses: readonly Address[],
  reads: FollowReads,
): Promise<ReadonlyMap<Address, Label>> => {
  const labels = await reads.labels({ chain }, addresses);
  return new Map(addresses.flatMap((address, at) => (labels[at] ? [[address, labels[at]]] : [])));
};

export const readSpan = async (chain: Chain, reads: FollowReads): Promise<ContiguousRange | null> => {
  const [span = null] = await reads.contiguousRange({}, [chain.name]);
  return span;
};
