import type { Address } from '../../model/address.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import type { Direction, TimeRange, WalletTransfer } from '../../model/trace-reader.ts';
import { isDust } from '../dust.ts';
import type { QueryContext } from '../query-context.ts';
import { POOL_SAMPLE, POOL_SAMPLE_MAX } from '../rules.ts';

export type AskedLast = {
  readonly chain: Chain;
  /** Up to the end of this range. */
  readonly range: TimeRange;
  readonly wallet: Address;
  readonly canonicalAsset: CanonicalAsset;
  readonly direction: Direction;
};

/** `isCut`: there may be earlier ones. */
export type LastTransfers = { readonly transfers: readonly WalletTransfer[]; readonly isCut: boolean };

/**
 * The last payments into a wallet (`in`) or out of it, without dust, latest first. With dust an attacker
 * could fill the sample.
 */
export const readLastTransfers = async (
  { chain, range: { toUnixSeconds }, wallet, canonicalAsset, direction }: AskedLast,
  { reads, onChain }: QueryContext,
): Promise<LastTransfers> => {
  const asked = { ...onChain, direction, canonicalAsset };
  const readAtMost = async (limit: number) => {
    const until = { wallet, fromUnixSeconds: 0, toUnixSeconds };
    const [read = []] = await reads.walletTransfers({ ...asked, limit }, [until]);
    const transfers = read.filter(({ amountRaw }) => !isDust(chain, canonicalAsset, amountRaw));
    return { transfers, isFull: read.length === limit };
  };
  const sample = await readAtMost(POOL_SAMPLE);
  const isMostlyDust = sample.isFull && sample.transfers.length < POOL_SAMPLE / 2;
  const { transfers, isFull } = isMostlyDust ? await readAtMost(POOL_SAMPLE_MAX) : sample;
  return { transfers: transfers.slice(0, POOL_SAMPLE), isCut: isFull || transfers.length > POOL_SAMPLE };
};
