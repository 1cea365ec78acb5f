import type { Address } from '../../model/address.ts';
import { abs, most } from '../../model/amount.ts';
import { toCanonicalAsset } from '../../model/asset.ts';
import type { BridgeSide } from '../../model/bridge-transfer.ts';
import { findChain } from '../../model/chain.ts';
import { compareTransactions, type PlacedBridgeTransfer } from '../../model/transfer-reader.ts';
import { isLeftOut } from '../../session/left-out.ts';
import { pickCarriers } from '../details/read-details.ts';
import type { FollowContext } from '../follow-context.ts';
import type { FollowReads } from '../follow-reader.ts';
import { toAsset } from '../read-assets.ts';
import type { FarSide, FoundHop } from '../trail.ts';
import type { Caveat } from '../why.ts';
import { findPayout } from './find-payout.ts';

/** Where money came out of a bridge, or why that is unknown. */
export type Crossed = {
  readonly output: FarSide | null;
  readonly caveats: readonly Caveat[];
  /** The bridge's event of the payment; null where none fits. */
  readonly near: PlacedBridgeTransfer | null;
  /** The same wallet's other crossings of these transactions, largest first. */
  readonly otherCrossings: readonly PlacedBridgeTransfer[];
};

/** A payment into a bridge; backward, out of it. */
export type IntoBridge = Pick<FoundHop, 'mainTransfer' | 'carriers' | 'from' | 'through'> & {
  /** Its transaction's events, by index, that are another crossing's. */
  readonly taken?: ReadonlySet<number>;
};

/**
 * Where money that went into a bridge came out; backward, where it was put in. The bridge's own number of the crossing tells
 * it exactly, whoever was paid, on whichever chain; without one a payout to the same beneficiary that fits in amount and
 * time. null where nothing fits, and where it cannot be read. Of several crossings it is that of the hop's own transaction.
 */
export const findFarSide = async (context: FollowContext, into: IntoBridge): Promise<Crossed> => {
  try {
    const { near, otherCrossings } = await readNearSide(context, into);
    const named = near && (await findNamed(context, near));
    const isAmbiguous = named === 'several';
    // Backward, only the bridge's own number identifies a crossing.
    const unnamed =
      named === null && !context.request.backward ? await findPayout(context, into, near) : null;
    const output = isAmbiguous ? null : (named ?? unnamed);
    const crossed: readonly Caveat[] =
      otherCrossings.length === 0 ? [] : [{ type: 'crossed_besides', crossings: otherCrossings }];
    if (output !== null) return { output, near, otherCrossings, caveats: crossed };
    const isRead = near?.farChain ? await isChainRead(context, near.farChain) : null;
    const caveats: readonly Caveat[] = [{ type: 'far_unmatched', near, isRead, isAmbiguous }, ...crossed];
    return { output, near, otherCrossings, caveats };
  } catch (error) {
    // The trail ends at the bridge in any case; the far side only adds to the answer.
    if (isLeftOut(error))
      return { output: null, near: null, otherCrossings: [], caveats: [{ type: 'far_unread' }] };
    throw error;
  }
};

const isChainRead = async ({ reads }: FollowContext, chain: string): Promise<boolean> =>
  (await reads.contiguousRange({}, [chain]))[0] !== null;

/**
 * The bridge's event of the hop into it. One transaction may serve several wallets, so the amount must be about the hop's, and the event
 * nearest in amount wins, in this order: events of the payer (backward, the payee); events that name nobody, unless two are equally near;
 * an event that names another wallet, because some bridges let the caller choose, if it is the only one that fits and the payer's own do
 * not make up the amount together.
 */
const readNearSide = async (
  { request: { chain, backward }, asset, reads }: FollowContext,
  hop: IntoBridge,
): Promise<{ near: PlacedBridgeTransfer | null; otherCrossings: readonly PlacedBridgeTransfer[] }> => {
  const { mainTransfer, from, through, taken } = hop;
  const told = (await reads.bridgeTransfers({ chain: chain.name }, pickCarriers(hop))).flat();
  const wanted: BridgeSide = backward ? 'delivery' : 'deposit';
  const wallets = new Set([from, ...through.map(({ address }) => address)]);
  const namedBy = (it: PlacedBridgeTransfer): Address | null => (backward ? it.to : it.from);
  const ofAsset = told
    .filter(({ side, index }) => side === wanted && !taken?.has(index))
    .filter((it) => it.asset === null || toCanonicalAsset(chain, it.asset) === asset.canonicalAsset);
  const distanceOf = ({ amountRaw }: PlacedBridgeTransfer): bigint =>
    abs((amountRaw ?? 0n) - mainTransfer.amountRaw);
  const inTransaction = ofAsset.filter((it) => compareTransactions(it, mainTransfer) === 0);
  const isOwn = (it: PlacedBridgeTransfer): boolean => wallets.has(namedBy(it) ?? '');
  const fitting = inTransaction
    .filter(({ amountRaw }) => amountRaw === null || isMostOfBoth(amountRaw, mainTransfer.amountRaw))
    .sort((a, b) => (distanceOf(a) < distanceOf(b) ? -1 : 1));
  const own = fitting.find(isOwn);
  const [unnamed, another] = fitting.filter((it) => namedBy(it) === null);
  const isAsNear = unnamed && another && distanceOf(unnamed) === distanceOf(another);
  const ownRaw = inTransaction.filter(isOwn).reduce((sum, { amountRaw }) => sum + (amountRaw ?? 0n), 0n);
  const isAlone = fitting.length === 1 && !isMostOfBoth(ownRaw, mainTransfer.amountRaw);
  const alone = isAlone ? fitting[0] : null;
  const near = own ?? (isAsNear ? null : unnamed) ?? alone ?? null;
  const otherCrossings = ofAsset
    .filter((it) => it !== near && isOwn(it))
    .sort((a, b) => ((a.amountRaw ?? 0n) < (b.amountRaw ?? 0n) ? 1 : -1));
  return { near, otherCrossings };
};

/** Bridges deduct fees, and one transaction may deposit two parts. */
const isMostOfBoth = (a: bigint, b: bigint): boolean => a * 2n >= b && b * 2n >= a;

/**
 * The other side by its number. A payment made again may have the same: it is to the same wallet, so only which transaction it
 * was is in doubt, and the next one is taken. Parts of less than half the largest are left out. `several` where different
 * assets have the number: nothing says which of them it is, and their amounts cannot be compared.
 */
const findNamed = async (
  { reads }: FollowContext,
  near: PlacedBridgeTransfer,
): Promise<FarSide | 'several' | null> => {
  const { bridge, messageId } = near;
  if (messageId === null) return null;
  const told = (await reads.bridgeMessages({}, [{ bridge, messageId }])).flat();
  const others = told.filter((it) => it.side !== near.side && pointAtEachOther(near, it));
  if (new Set(others.map(({ chain, asset }) => `${chain}:${asset}`)).size > 1) return 'several';
  const largestRaw = others.reduce((largestRaw, { amountRaw }) => most(largestRaw, amountRaw ?? 0n), 0n);
  const [far] = others
    .filter(({ amountRaw }) => (amountRaw ?? 0n) * 2n >= largestRaw)
    .sort((a, b) => secondsFrom(near, a) - secondsFrom(near, b));
  return far === undefined ? null : toFarSide(near, far, reads);
};

/** A payout before the deposit is the last choice. */
const secondsFrom = (near: PlacedBridgeTransfer, far: PlacedBridgeTransfer): number => {
  const seconds = (far.blockTime - near.blockTime) * (near.side === 'deposit' ? 1 : -1);
  return seconds >= 0 ? seconds : Number.MAX_SAFE_INTEGER + seconds;
};

/** One of the two sides may not name the other's chain. */
const pointAtEachOther = (near: PlacedBridgeTransfer, far: PlacedBridgeTransfer): boolean =>
  (near.farChain ?? far.chain) === far.chain &&
  (far.farChain ?? near.chain) === near.chain &&
  (near.farChain ?? far.farChain) !== null;

/** null if neither side names a recipient or an asset. */
const toFarSide = async (
  near: PlacedBridgeTransfer,
  far: PlacedBridgeTransfer,
  reads: FollowReads,
): Promise<FarSide | null> => {
  const chain = findChain(far.chain);
  const address = far.side === 'delivery' ? (far.to ?? near.to) : (far.from ?? near.from);
  if (chain === null || address === null || far.asset === null || far.amountRaw === null) return null;
  const asset = toCanonicalAsset(chain, far.asset);
  const { symbol, decimals } = await toAsset(chain, asset, reads);
  return {
    chain,
    address,
    asset: { asset, symbol, decimals },
    amountRaw: far.amountRaw,
    signature: far.signature,
    timeUnixSeconds: far.blockTime,
    by: 'id',
    confidence: 1,
    bridgedRaw: near.amountRaw,
  };
};
