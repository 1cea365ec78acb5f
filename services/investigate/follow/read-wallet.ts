import type { Address } from '../model/address.ts';
import { largestFirst, sumOf, toShare } from '../model/amount.ts';
import type { FlowPage, FlowsRequest, WalletSpan } from '../model/transfer-reader.ts';
import { addCaveats, readInPart } from './add-caveats.ts';
import { startPosition } from './begin-journey.ts';
import { type Joined, lookThrough } from './contracts/look-through.ts';
import { decideStep, type Step } from './decide-step.ts';
import { endAtRest, endUnindexed, endWithSplit, endWithSwap, type Sums } from './end-trail.ts';
import type { Journey, Stand } from './journey.ts';
import { type Knowledge, knowWallet } from './know-wallet.ts';
import { toBranches, type UnnamedBranch } from './name-branches.ts';
import type { WalkedRound } from './payments/find-rounds.ts';
import { type Gathered, gatherOutgoing, type Reading } from './payments/gather-outgoing.ts';
import { type GatheredTransfers, gatherTransfers } from './payments/gather-transfers.ts';
import {
  type Destination,
  groupDestinations,
  type Stream,
  type WalletDestination,
} from './payments/group-destinations.ts';
import { type FlowSide, flowSides, readFlows } from './payments/read-flows.ts';
import { paidIn } from './payments/stake.ts';
import type { TakeContext } from './payments/take-outgoing.ts';
import { MAJORITY_PARTS, OTHERS_MAX, PARTS } from './rules.ts';
import type { FoundEnd, FoundHop } from './trail.ts';
import type { Cut } from './why.ts';

export type UnlabelledHop = Omit<FoundHop, 'toLabel' | 'others'> & {
  readonly others: readonly UnnamedBranch[];
};

export type Onward = {
  readonly type: 'hop';
  readonly hop: UnlabelledHop;
  readonly next: Stand;
  /** What had arrived in the wallet. */
  readonly arrivedRaw: bigint;
  /** Whom else it paid. */
  readonly beside: readonly WalletDestination[];
  /** Whether all that the wallet did with the money is indexed. */
  readonly isComplete: boolean;
  /** When a swap of the wallet's, which was not asked for, would make it another outcome; null: none would. */
  readonly unasked: WalletSpan | null;
};

/** `isComplete` as of a hop. */
export type Ended = { readonly type: 'end'; readonly end: FoundEnd; readonly isComplete: boolean };
export type Outcome = Ended | Onward;

/** Some of it went round: without that it is to be read again. */
export type CameBack = { readonly type: 'round'; readonly round: WalkedRound };

export const endWhole = (end: FoundEnd): Ended => ({ type: 'end', end, isComplete: true });

type Begun = {
  /** Of what left the wallet, where it was read before. */
  readonly firstPage?: FlowPage | null;
  /** Wallets on the trail. */
  readonly visited: ReadonlySet<Address>;
};

/** What the money did at one wallet. Throws as the journey's reads do. */
export const readWallet = async (
  journey: Journey,
  stand: Stand,
  { firstPage = null, visited }: Begun,
): Promise<Outcome | CameBack> => {
  const [context, reading] = toReading(journey, stand);
  const gathered = await gatherOutgoing(context, { ...reading, firstPage });
  return decide(journey, stand, { ...gathered, visited });
};

/** What the transfers out of a wallet say that does not seem just to have passed the money on. */
export type Unclear = { readonly type: 'unclear'; readonly transfers: GatheredTransfers | null };

/** The same by its transfers alone, where it seems just to have passed the money on. */
export const readPassage = async (journey: Journey, stand: Stand): Promise<Onward | Unclear> => {
  const [context, reading] = toReading(journey, stand);
  // Who got most of the money is read next, if it was passed on.
  const aheadRaw = (sumOf(stand.stake.lots) * MAJORITY_PARTS) / PARTS;
  const readPage = pageOf(journey, stand, { side: 'departures', transfersOnly: true, aheadRaw });
  const transfers = await gatherTransfers(context, { ...reading, readPage });
  const plain = transfers?.plain ?? null;
  if (plain === null) return { type: 'unclear', transfers };
  const { outgoing, unasked } = plain;
  const seen = await see(journey, stand, { outgoing, cuts: [] });
  const { step, destinations } = seen;
  if (seen.known.onward === 'unread' || step.type !== 'hop') return { type: 'unclear', transfers };
  return { ...goOn(journey, stand, seen, straightTo(step.to, destinations)), unasked };
};

/** What is known of a wallet, and what that says of the money. */
type Seen = Sums & {
  readonly known: Knowledge;
  readonly step: Step;
  readonly isComplete: boolean;
  readonly cuts: readonly Cut[];
};

const see = async (journey: Journey, stand: Stand, gathered: Gathered): Promise<Seen> => {
  const { lots, told } = stand.stake;
  const known = await knowWallet(journey, stand, gathered.outgoing);
  const destinations = groupDestinations(gathered.outgoing, journey.request.backward);
  const leftRaw = sumOf(destinations);
  const arrivedRaw = told === 'nobody' ? leftRaw : sumOf(lots);
  const step = decideStep(arrivedRaw, leftRaw, destinations);
  const { cuts } = gathered;
  return { known, destinations, leftRaw, arrivedRaw, step, cuts, isComplete: known.onward === 'whole' };
};

const decide = async (
  journey: Journey,
  stand: Stand,
  { visited, ...gathered }: Gathered & Pick<Begun, 'visited'>,
): Promise<Outcome | CameBack> => {
  const seen = await see(journey, stand, gathered);
  const { wallet } = stand;
  const { step, destinations, cuts, isComplete } = seen;
  if (seen.known.onward === 'unread') return { type: 'end', end: endUnindexed(wallet), isComplete: false };
  if (step.type === 'hop') return goOn(journey, stand, seen, straightTo(step.to, destinations));
  // Most ends without a majority are just that: looking further takes no time of its own.
  const [joined, end] = await Promise.all([
    lookThrough(journey, { ...seen, ...stand, visited, outgoing: gathered.outgoing }),
    endHere(journey, stand, { ...seen, step }),
  ]);
  if (joined && 'wallet' in joined) return { type: 'round', round: joined };
  return joined === null
    ? { type: 'end', end: addCaveats(end, cuts.map(readInPart)), isComplete }
    : goOn(journey, stand, seen, joined);
};

const endHere = (
  journey: Journey,
  stand: Stand,
  { step, known, ...sums }: Sums & Pick<Seen, 'known'> & { readonly step: Exclude<Step, { type: 'hop' }> },
): Promise<FoundEnd> => {
  switch (step.type) {
    case 'rest':
      return endAtRest(journey, stand, { sums, known });
    case 'split':
      return endWithSplit(journey, stand.wallet, sums);
    case 'swap':
      return endWithSwap(journey, stand.wallet, {
        into: step.into,
        others: sums.destinations.filter((destination) => destination !== step.into),
      });
  }
};

const straightTo = (to: WalletDestination, destinations: readonly Destination[]): Joined => ({
  to,
  through: [],
  others: destinations.filter((destination) => destination !== to),
  besides: [],
});

/** What a hop says of the transactions that carried it. */
export const tellCarried = ({ amountRaw, carriers, largest }: Stream) => ({
  ...{ amountRaw, carriers, signature: largest, timeUnixSeconds: largest.blockTime },
  sinceUnixSeconds: (carriers[0] ?? largest).blockTime,
});

const goOn = (
  { request: { chain } }: Journey,
  { wallet: from }: Stand,
  { arrivedRaw, cuts, isComplete }: Seen,
  { to, through, others, besides }: Joined,
): Onward => ({
  type: 'hop',
  hop: {
    ...{ from, to: to.address, through, cuts, arrivedRaw, share: toShare(to.amountRaw, arrivedRaw) },
    ...tellCarried(to),
    others: [...toBranches(chain, from, others), ...besides].sort(largestFirst).slice(0, OTHERS_MAX),
  },
  next: { wallet: to.address, stake: paidIn(to.carriers) },
  arrivedRaw,
  isComplete,
  unasked: null,
  beside: others.filter((other) => other.type === 'wallet'),
});

/** What is asked of a wallet. */
export const toReading = (journey: Journey, stand: Stand): [TakeContext, Omit<Reading, 'firstPage'>] => {
  const { request, asset, pages } = journey;
  const { chain, backward } = request;
  const { onward, counter } = flowSides(backward);
  return [
    { chain, ...stand, canonicalAsset: asset.canonicalAsset, backward },
    {
      start: startPosition(request),
      sizes: pages,
      returned: journey.returned,
      readPage: pageOf(journey, stand, { side: onward, transfersOnly: false }),
      // Only transfers bring money that a payment may pass on.
      readCounterPage: pageOf(journey, stand, { side: counter, transfersOnly: true }),
    },
  ];
};

const pageOf =
  (
    journey: Journey,
    { wallet }: Stand,
    { side, ...chosen }: { readonly side: FlowSide } & Pick<FlowsRequest, 'transfersOnly' | 'aheadRaw'>,
  ): Reading['readPage'] =>
  (from, limit) =>
    readFlows(journey, side, { wallet, from, limit, ...chosen });
