import type { Address } from '../model/address.ts';
import { largestFirst, sumOf, toShare } from '../model/amount.ts';
import { type FlowPage, transactionKey, type WalletSpan } from '../model/transfer-reader.ts';
import { addCaveats, readInPart } from './add-caveats.ts';
import { classifyOutflows, isMain, type Step } from './classify-outflows.ts';
import { endAtRest, endUnindexed, endWithSplit, endWithSwap, type Sums } from './end-trail.ts';
import { type Resolved, resolvePayments } from './inner/resolve-payments.ts';
import type { Journey, Stand } from './journey.ts';
import { type Knowledge, knowWallet } from './know-wallet.ts';
import { toBranches, type UnnamedBranch } from './name-branches.ts';
import { type Gathered, gatherOutgoing } from './payments/gather-outgoing.ts';
import { groupDestinations } from './payments/group-destinations.ts';
import type { Outgoing } from './payments/outgoing.ts';
import { paidIn } from './payments/stake.ts';
import { toReading } from './reading/to-reading.ts';
import { MOVED_ON_MIN_PARTS, OTHERS_MAX, PARTS } from './rules.ts';
import type { FoundEnd, FoundHop } from './trail.ts';
import type { Cut } from './why.ts';

export type UnlabelledHop = Omit<FoundHop, 'toLabel' | 'others'> & {
  readonly others: readonly UnnamedBranch[];
};

/** What the money did at one wallet. */
type Decided = {
  /** Whether all that the wallet did with the money is indexed. */
  readonly isComplete: boolean;
  /** It paid some of it on within the very transactions that brought it, as contracts do. */
  readonly paysAtOnce: boolean;
};
export type Onward = Decided & {
  readonly type: 'hop';
  readonly stand: Stand;
  readonly outgoing: readonly Outgoing[];
  readonly hop: UnlabelledHop;
  readonly next: Stand;
  /** When a swap, which was not asked for, would make it another outcome; mostly of this wallet, if at all. */
  readonly unasked: readonly WalletSpan[];
  /** To whom contracts passed its payments on is known. */
  readonly isResolved: boolean;
};
export type Ended = Decided & { readonly type: 'end'; readonly end: FoundEnd };
export type Outcome = Ended | Onward;

export const endWhole = (end: FoundEnd): Ended => ({ type: 'end', end, isComplete: true, paysAtOnce: false });

type Begun = {
  /** Of what left the wallet, where it was read before. */
  readonly firstPage?: FlowPage | null;
  /** Wallets on the trail. */
  readonly visited: ReadonlySet<Address>;
};

/** The rules of one hop, in their order. Throws as the journey's reads do. */
export const decideHop = async (
  journey: Journey,
  stand: Stand,
  { firstPage = null, visited }: Begun,
): Promise<Outcome> => {
  const seen = await seeWallet(journey, stand, firstPage);
  const { known, isComplete, paysAtOnce, cuts } = seen;
  if (known.onward === 'unread')
    return { type: 'end', end: endUnindexed(stand.wallet), isComplete: false, paysAtOnce: false };
  const hop = straightOn(journey, stand, seen);
  if (hop !== null) return hop;
  // Most ends without a majority are just that: looking further takes no time of its own.
  const [resolved, end] = await Promise.all([
    mayResolve(seen)
      ? resolvePayments(journey, { ...stand, ...seen, visited, contract: null, ledRound: NONE })
      : null,
    endHere(journey, stand, seen),
  ]);
  if (resolved === 'refunded') {
    journey.refunds.touched.delete(stand.wallet);
    return decideHop(journey, stand, { firstPage: seen.firstPage, visited });
  }
  return resolved === null
    ? { type: 'end', end: addCaveats(end, cuts.map(readInPart)), isComplete, paysAtOnce }
    : { ...goOn(journey, stand, seen, resolved), isResolved: true };
};

const NONE: ReadonlySet<string> = new Set();

/** What is known of a wallet, and what that says of the money. */
type Seen = Gathered &
  Sums &
  Decided & { readonly known: Knowledge; readonly step: Step; readonly firstPage: FlowPage | null };

/** What left, as far as it is the followed money, by recipients. */
export const seeWallet = async (journey: Journey, stand: Stand, firstPage: FlowPage | null) => {
  const [context, reading] = toReading(journey, stand);
  const gathered = await gatherOutgoing(context, { ...reading, firstPage });
  return { ...gathered, ...(await see(journey, stand, gathered)) };
};

export const see = async (
  journey: Journey,
  stand: Stand,
  { outgoing, cuts }: Gathered,
): Promise<Omit<Seen, 'firstPage'>> => {
  const { lots, told } = stand.stake;
  const known = await knowWallet(journey, stand, outgoing);
  const destinations = groupDestinations(outgoing, journey.request.backward);
  const leftRaw = sumOf(destinations);
  const arrivedRaw = told === 'nobody' ? leftRaw : sumOf(lots);
  const step = classifyOutflows(arrivedRaw, leftRaw, destinations);
  const places = new Set(lots.map(transactionKey));
  const paysAtOnce = outgoing.some((paid) => paid.type === 'transfer' && places.has(transactionKey(paid)));
  const isComplete = known.onward === 'whole';
  return { outgoing, cuts, known, destinations, leftRaw, arrivedRaw, step, isComplete, paysAtOnce };
};

/** Several got enough of it, but none most. */
const mayResolve = ({ arrivedRaw, leftRaw, destinations }: Sums): boolean =>
  destinations.length > 1 &&
  leftRaw * PARTS >= arrivedRaw * MOVED_ON_MIN_PARTS &&
  !destinations.some((destination) => isMain(destination, leftRaw));

const endHere = (
  journey: Journey,
  stand: Stand,
  { step, known, arrivedRaw, leftRaw, destinations }: Sums & Pick<Seen, 'known' | 'step'>,
): Promise<FoundEnd> => {
  const sums = { arrivedRaw, leftRaw, destinations };
  if (step.type === 'split') return endWithSplit(journey, stand.wallet, sums);
  if (step.type !== 'swap') return endAtRest(journey, stand, { sums, known });
  const others = destinations.filter((destination) => destination !== step.into);
  return endWithSwap(journey, stand.wallet, { into: step.into, others });
};

/** null where no wallet got most. */
export const straightOn = (journey: Journey, stand: Stand, seen: Omit<Seen, 'firstPage'>): Onward | null => {
  if (seen.step.type !== 'hop') return null;
  const { to } = seen.step;
  const others = seen.destinations.filter((destination) => destination !== to);
  return goOn(journey, stand, seen, { to, through: [], others, besides: [] });
};

type Moved = Pick<Seen, 'arrivedRaw' | 'outgoing' | 'isComplete' | 'paysAtOnce'> & {
  readonly cuts: readonly Cut[];
};

const goOn = (
  { request: { chain } }: Journey,
  stand: Stand,
  { arrivedRaw, cuts, isComplete, outgoing, paysAtOnce }: Moved,
  { to, through, others, besides }: Resolved,
): Onward => {
  const { amountRaw, carriers, largest } = to;
  const from = stand.wallet;
  return {
    ...{ type: 'hop', stand, outgoing, isComplete, paysAtOnce, unasked: [], isResolved: false },
    hop: {
      ...{ from, to: to.address, through, cuts, arrivedRaw, share: toShare(amountRaw, arrivedRaw) },
      ...{ amountRaw, carriers, signature: largest, timeUnixSeconds: largest.blockTime },
      sinceUnixSeconds: (carriers[0] ?? largest).blockTime,
      others: [...toBranches(chain, from, others), ...besides].sort(largestFirst).slice(0, OTHERS_MAX),
    },
    next: { wallet: to.address, stake: paidIn(carriers) },
  };
};

/**
 * A hop whose recipient paid out within the same transactions leads to whom he paid, through him. `refunded`: he paid it back, or
 * others did; it is to be decided again. null: he is a wallet like others.
 */
export const resolveHop = async (
  journey: Journey,
  { stand, hop, outgoing, ...before }: Onward,
  { after, visited }: { readonly after: Outcome; readonly visited: ReadonlySet<Address> },
): Promise<Onward | 'refunded' | null> => {
  const isRound = after.type === 'hop' && visited.has(after.hop.to);
  const resolved = await resolvePayments(journey, {
    ...{ ...stand, outgoing, visited, contract: hop.to },
    ledRound: new Set(isRound ? after.next.stake.lots.map(transactionKey) : []),
  });
  if (resolved === null || resolved === 'refunded') return resolved;
  const told = after.type === 'hop' ? after.hop.cuts : [];
  const seen = { ...before, outgoing, arrivedRaw: hop.arrivedRaw, cuts: [...hop.cuts, ...told] };
  return {
    ...goOn(journey, stand, { ...seen, isComplete: before.isComplete && after.isComplete }, resolved),
    unasked: [...before.unasked, ...(after.type === 'hop' ? after.unasked : [])],
    isResolved: true,
  };
};
