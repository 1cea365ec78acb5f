import { addRaw, least, sumOf } from '../../model/amount.ts';
import { type Asset, isUnverifiedToken, toCanonicalAsset } from '../../model/asset.ts';
import { compareTransactions, type SwapFlow } from '../../model/transfer-reader.ts';
import type { FollowContext, FollowedWallet } from '../follow-context.ts';
import { type PaidBack, positionKey } from '../inner/refunds.ts';
import { chanceOf, type Inflow, type Outflow, type Stake } from '../payments/inflow.ts';
import { findPositions } from './find-positions.ts';
import type { Position } from './position.ts';

/** Of one wallet. */
export type TakenBack = {
  readonly positions: readonly Position[];
  /** The money as it is there after that. */
  readonly stake: Stake;
  readonly paidBack: PaidBack;
};

type Deposit = { readonly swap: SwapFlow; readonly chance: number };

/**
 * What a wallet got back for receipts that it had got for the followed money; null where nothing came back. Earlier deposits come
 * first, and what was earned came with it. Where a receipt grows by itself, more of it is given than was got: then a part of what came
 * is the money's.
 */
export const takeBack = async (
  context: FollowContext,
  { wallet, stake }: FollowedWallet,
  outflows: readonly Outflow[],
): Promise<TakenBack | null> => {
  const { paidBack: before } = context.refunds;
  const fresh = outflows.flatMap((paid): Deposit[] =>
    paid.type !== 'swap' || paid.swaps.length !== 1
      ? []
      : paid.swaps.flatMap((swap) =>
          before.raw.has(positionKey(wallet, swap)) ? [] : [{ swap, chance: chanceOf(paid) }],
        ),
  );
  const found = await findPositions(
    context,
    fresh.map(({ swap }) => swap),
  );
  const deposits = fresh.filter(({ swap }) => found.has(swap));
  if (deposits.length === 0) return null;
  const paidBack = { raw: new Map(before.raw), usedRaw: new Map(before.usedRaw) };
  const positions: Position[] = [];
  for (const [receipt, of] of Map.groupBy(deposits, ({ swap }) => swap.otherAsset)) {
    const redeemed = await readRedeemed(context, wallet, { receipt, since: of });
    for (const deposit of of) positions.push(...matchBack({ wallet, receipt, deposit, redeemed }, paidBack));
  }
  if (positions.length === 0) return null;
  return { positions, stake: withBack(stake, positions, context), paidBack };
};

type Matching = {
  readonly wallet: string;
  readonly receipt: Asset;
  readonly deposit: Deposit;
  /** In order of time. */
  readonly redeemed: readonly SwapFlow[];
};

const matchBack = (
  { wallet, receipt, deposit: { swap, chance }, redeemed }: Matching,
  paidBack: { readonly raw: Map<string, bigint>; readonly usedRaw: Map<string, bigint> },
): readonly Position[] => {
  let leftRaw = swap.otherRaw;
  const positions: Position[] = [];
  for (const given of redeemed.filter((later) => compareTransactions(swap, later) < 0)) {
    const key = positionKey(wallet, { ...given, otherAsset: receipt });
    const raw = least(leftRaw, given.amountRaw - (paidBack.usedRaw.get(key) ?? 0n));
    const cameRaw = (given.otherRaw * raw) / given.amountRaw;
    if (cameRaw === 0n) continue;
    leftRaw -= raw;
    addRaw(paidBack.usedRaw, key, raw);
    const back = { ...placeOf(given), amountRaw: cameRaw, ...(chance === 1 ? {} : { chance }) };
    const putRaw = (swap.amountRaw * raw) / swap.otherRaw;
    positions.push({ receipt, deposit: { ...placeOf(swap), amountRaw: putRaw }, back });
  }
  if (positions.length > 0)
    paidBack.raw.set(
      positionKey(wallet, swap),
      leftRaw === 0n ? swap.amountRaw : sumOf(positions.map(({ deposit }) => deposit)),
    );
  return positions;
};

const placeOf = ({ blockTime, blockNumber, txIndex }: Inflow | SwapFlow) => ({
  blockTime,
  blockNumber,
  txIndex,
});

/** What was put away is no longer what had come: what came back is. More than had come was the wallet's own. */
const withBack = (
  { lots, source }: Stake,
  positions: readonly Position[],
  { direction }: Pick<FollowContext, 'direction'>,
): Stake => {
  if (source === 'unknown') return { lots, source };
  let putRaw = sumOf(positions.map(({ deposit }) => deposit));
  const ofRaw = least(putRaw, sumOf(lots));
  const back = positions.map(({ back }) => ({ ...back, amountRaw: (back.amountRaw * ofRaw) / putRaw }));
  putRaw = ofRaw;
  const kept = lots.flatMap((lot) => {
    const takenRaw = least(lot.amountRaw, putRaw);
    putRaw -= takenRaw;
    return lot.amountRaw === takenRaw ? [] : [{ ...lot, amountRaw: lot.amountRaw - takenRaw }];
  });
  const all = [...kept, ...back.filter(({ amountRaw }) => amountRaw > 0n)];
  return { lots: all.sort(direction.compare), source };
};

/** In order of time, one page: whoever pays receipts back a thousand times is no one person. */
const readRedeemed = async (
  { request: { chain }, asset: { canonicalAsset }, reads, pages }: FollowContext,
  wallet: string,
  { receipt, since }: { readonly receipt: Asset; readonly since: readonly Deposit[] },
): Promise<readonly SwapFlow[]> => {
  const [first] = since.map(({ swap }) => swap).sort(compareTransactions);
  if (first === undefined) return [];
  const asked = { chain: chain.name, canonicalAsset: receipt, ownOnly: isUnverifiedToken(chain, receipt) };
  const [page] = await reads.flows({ ...asked, side: 'departures', limit: pages.firstRows }, [
    { wallet, from: { ...placeOf(first), step: 0 } },
  ]);
  return (page?.rows ?? []).flatMap((row) =>
    row.type === 'swap' && row.amountRaw > 0n && toCanonicalAsset(chain, row.otherAsset) === canonicalAsset
      ? [row]
      : [],
  );
};
