import type { Address } from '../model/address.ts';
import { least, sumOf } from '../model/amount.ts';
import { isUnverifiedToken } from '../model/asset.ts';
import { isTill, type Label, passingKind } from '../model/label.ts';
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
  const times = asked.flatMap(({ lots }) => lots.map(({ blockTime }) => blockTime));
  const leastRaw = asked.map(({ lots }) => sumOf(lots) / DUST_OF_ARRIVED).reduce(least);
  const addresses = asked.map(({ address }) => address);
  const labelled = asked.flatMap(({ address, label }) =>
    label && passingKind(label) === 'contract' ? [address] : [],
  );
  const arePools = await reads.pools(
    {
      ...{ chain: chain.name, canonicalAsset, labelled, leastRaw, payersMin: POOL_PAYERS_MIN },
      fromUnixSeconds: times.reduce((a, b) => Math.min(a, b)) - POOL_SECONDS,
      toUnixSeconds: times.reduce((a, b) => Math.max(a, b)) + POOL_SECONDS,
    },
    addresses,
  );
  return new Set(addresses.filter((_, at) => arePools[at]));
};
