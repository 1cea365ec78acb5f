import type { Address } from '../model/address.ts';
import { sumOf } from '../model/amount.ts';
import { isUnverifiedToken } from '../model/asset.ts';
import { isTill, type Label, passingKind } from '../model/label.ts';
import type { MaybePool } from '../model/transfer-reader.ts';
import type { FollowContext } from './follow-context.ts';
import type { Inflow } from './payments/inflow.ts';
import { DUST_OF_ARRIVED, POOL_PAYERS_MIN, POOL_SECONDS } from './rules.ts';

/** A recipient, and what of the followed money reached it. Never empty. */
export type Recipient = {
  readonly address: Address;
  readonly label: Label | null;
  readonly lots: readonly Inflow[];
};

const NONE: ReadonlySet<Address> = new Set();

/**
 * Recipients that are contracts which many others pay: a bridge, a market, a fund. What leaves one later belongs to whoever
 * withdraws it. One query, none on Solana, where every program's account would be asked about, and none for tokens that may log
 * falsely, because anybody could make up the payers.
 */
export const findPools = async (
  { request: { chain }, asset: { canonicalAsset }, reads }: FollowContext,
  recipients: readonly Recipient[],
): Promise<ReadonlySet<Address>> => {
  const asked = recipients.filter(({ label, lots }) => lots.length > 0 && !isTill(label));
  if (chain.family !== 'evm' || isUnverifiedToken(chain, canonicalAsset) || asked.length === 0) return NONE;
  const arePools = await reads.pools(
    { chain: chain.name, canonicalAsset, payersMin: POOL_PAYERS_MIN },
    asked.map(toMaybePool),
  );
  return new Set(asked.flatMap(({ address }, at) => (arePools[at] ? [address] : [])));
};

/** Beside others it counts as alone: neither their crumbs nor their times let more payers count. */
const toMaybePool = ({ address, label, lots }: Recipient): MaybePool => {
  const times = lots.map(({ blockTime }) => blockTime);
  return {
    address,
    isLabelled: label !== null && passingKind(label) === 'contract',
    leastRaw: sumOf(lots) / DUST_OF_ARRIVED,
    fromUnixSeconds: times.reduce((a, b) => Math.min(a, b)) - POOL_SECONDS,
    toUnixSeconds: times.reduce((a, b) => Math.max(a, b)) + POOL_SECONDS,
  };
};
