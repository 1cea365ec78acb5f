import type { Address } from '../model/address.ts';
import { passingKind } from '../model/label.ts';
import { type FlowPage, ReadFailedError } from '../model/transfer-reader.ts';
import { type CheckSwaps, createCheckSwaps, readSwappers, type Swapped } from './check-swaps.ts';
import { describeEnd } from './describe-end.ts';
import { endUnindexed } from './end-trail.ts';
import { findArrivals } from './find-arrivals.ts';
import { findFarSide } from './find-far-side.ts';
import { type Bounce, findReturned } from './find-returned.ts';
import { findRounds, type Rounds } from './find-rounds.ts';
import { BudgetSpentError, refuseWithoutAnswer } from './follow-reader.ts';
import { addDirect, joinHops, passesOn } from './join-hops.ts';
import { type Journey, readLabels, type Stand } from './journey.ts';
import { knowWallet } from './know-wallet.ts';
import { limitOthers } from './limit-others.ts';
import { withNames } from './name-branches.ts';
import { noteCuts } from './note-cuts.ts';
import { compareOnTrail } from './outgoing.ts';
import {
  type Ended,
  type Onward,
  type Outcome,
  readPassage,
  readWallet,
  type Unclear,
  type UnlabelledHop,
} from './read-wallet.ts';
import type { Cut, FoundEnd, FoundHop, FoundTrail } from './trail.ts';
import { joinReturned } from './without-returned.ts';

export const findTrail = async (journey: Journey): Promise<FoundTrail> => {
  const { request, asset } = journey;
  const { chain, start, backward } = request;
  const { hops, end, isWhole } = await findPath(journey);
  const span = await journey.span.catch(refuseWithoutAnswer);
  return { chain, start, backward, asset, hops: limitOthers(hops), end, span, isWhole };
};

type Path = {
  readonly hops: readonly FoundHop[];
  readonly end: FoundEnd;
  readonly isWhole: boolean;
};

/**
 * Most wallets on a trail just pass on what they got and never swap: they are read by their transfers, and whether they
 * swapped is asked for many at once, before a wallet is read that does not. From the first that did swap on the trail is
 * walked again, with all swaps. Backward nothing is left for later: swaps are no more to be found together than one by one.
 */
const findPath = async (journey: Journey): Promise<Path> => {
  const { start: wallet, backward } = journey.request;
  const { arrivals, cuts } = await findArrivals(journey).catch(refuseWithoutAnswer);
  if (arrivals?.length === 0) {
    const end = noteCuts(await endUnpaid(journey), cuts, journey);
    return { hops: [], end, isWhole: false };
  }
  const check = backward ? null : createCheckSwaps(journey);
  const path = await walkAgain(journey, { start: { wallet, arrivals }, known: [], check, isAgain: false });
  return withCuts(journey, path, cuts);
};

/** What may have decided a trail from its beginning is told with its first hop. */
const withCuts = (journey: Journey, path: Path, cuts: readonly Cut[]): Path => {
  const [first, ...hops] = path.hops;
  if (first === undefined) return { ...path, end: noteCuts(path.end, cuts, journey) };
  return { ...path, hops: [{ ...first, cuts: [...cuts, ...first.cuts] }, ...hops] };
};

/** As long as what was found does not stand: once at most for swaps, and for round trips once a wallet, mostly. */
const walkAgain = async (journey: Journey, walking: Walking): Promise<Path> => {
  const path = await walk(journey, walking);
  if (!('known' in path)) return path;
  const { known } = path;
  if (!('returned' in path)) return walkAgain(journey, { ...walking, known, check: null, isAgain: true });
  const check = walking.check && createCheckSwaps(journey);
  const rounds = await findRounds(journey, path.place);
  const returned = joinReturned(path.returned, rounds.returned);
  const sure = beforeRounds(known, rounds);
  return walkAgain({ ...journey, returned }, { ...walking, known: sure, check, isAgain: true });
};

/** Of the steps to a wallet where rounds were found those before the first of them through whom some went too. */
const beforeRounds = (steps: readonly Outcome[], { wallets }: Rounds): readonly Outcome[] => {
  const touched = steps.findIndex((step) => step.type === 'hop' && wallets.has(step.hop.from));
  return touched === -1 ? steps : steps.slice(0, touched);
};

type Walking = {
  readonly start: Stand;
  /** The first steps, where they were taken before. */
  readonly known: readonly Outcome[];
  /** null: every wallet is read with its swaps. */
  readonly check: CheckSwaps | null;
  /** What was found before did not stand. */
  readonly isAgain: boolean;
};

const walk = async (journey: Journey, walking: Walking): Promise<Path | Swapped | Bounce> => {
  const { start, known, check, isAgain } = walking;
  const { request } = journey;
  const compare = compareOnTrail(request.backward);
  const hops: FoundHop[] = [];
  const steps: Outcome[] = [];
  const ended = (ending: Ended) => endPath(journey, { hops, steps, check, ending });
  const visited = new Set<Address>([request.start]);
  const take = async (next: Stand, arriving: Promise<Ended | null>): Promise<Outcome | Swapped | Bounce> => {
    const step =
      known[steps.length] ?? (await takeStep(journey, next, { steps, hops, check, isAgain, arriving }));
    return 'known' in step ? step : (findReturned([...steps, step], journey.returned) ?? step);
  };
  let stand = start;
  let reading = take(stand, Promise.resolve(null));
  /** Out of the last wallet that was not just passed through. */
  let payer: Onward | null = null;
  for (;;) {
    const outcome = await reading;
    if ('known' in outcome) return outcome;
    steps.push(outcome);
    const isPassage = outcome.type === 'hop' && passesOn(stand, outcome.next);
    const sale = endAtDex(journey, { into: hops.at(-1), isPassage });
    if (sale !== null) return ended(sale);
    if (outcome.type === 'end') return ended(outcome);
    const through: Onward | null = isPassage ? payer : null;
    if (through === null) {
      if (hops.length >= request.maxHops) return ended(endWithHopsUsed(journey, stand.wallet));
      forgetContracts(visited, hops.at(-1));
    }
    const { hop, next } = addDirect(outcome, through, compare);
    const arriving = arrive(journey, { wallet: stand.wallet, hop, through, isAgain }, hops);
    // Most hops lead to a wallet nobody knows: it is read while its label is looked up.
    reading = visited.has(hop.to) ? Promise.resolve(endWithLoop(journey, hop.to)) : take(next, arriving);
    reading.catch(() => undefined);
    const end = await arriving;
    if (end !== null) return ended(end);
    visited.add(hop.to);
    stand = next;
    payer = through ?? outcome;
  }
};

type Ending = Pick<Path, 'hops'> &
  Pick<Walking, 'check'> & { readonly steps: readonly Outcome[]; readonly ending: Ended };

const endPath = async (
  { request, asset, readAtEnd, evidence }: Journey,
  { hops, steps, check, ending: { end, isWhole } }: Ending,
): Promise<Path | Swapped> => {
  evidence.begin(hops);
  try {
    const swapped = await check?.(steps, readAtEnd);
    return swapped ?? { hops, end, isWhole: isWhole && steps.every((step) => step.isWhole) };
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error;
    const detail = end.detail + describeEnd(request, asset).swapsUnread;
    return { hops, end: { ...end, detail }, isWhole: false };
  }
};

/** A contract may be passed through again, but not by the same money in the same transactions. */
const forgetContracts = (visited: Set<Address>, hop: FoundHop | undefined): void => {
  for (const { address } of hop?.through ?? []) visited.delete(address);
};

type Arriving = Pick<Walking, 'isAgain'> & {
  readonly wallet: Address;
  readonly hop: UnlabelledHop;
  /** Who paid, where `wallet` is a contract that passed the money on. */
  readonly through: Onward | null;
};

/** Adds the hop, joined with the one before it where that led to a contract which passed the money on. */
const arrive = async (
  journey: Journey,
  { wallet, hop, through, isAgain }: Arriving,
  hops: FoundHop[],
): Promise<Ended | null> => {
  const labelled = await labelHop(journey, hop, { wallet, isFirst: hops.length === 0, isAgain });
  if (labelled.type === 'end') return labelled;
  const into = through && hops.pop();
  const whole = through && into ? joinHops(into, labelled.hop, through) : labelled.hop;
  hops.push(whole);
  // Only how it ends is still to be told.
  if (hops.length >= journey.request.maxHops) journey.evidence.begin(hops);
  return endAtService(journey, whole);
};

type Taking = Pick<Walking, 'check' | 'isAgain'> & {
  readonly steps: readonly Outcome[];
  readonly hops: readonly FoundHop[];
  /** Whether the trail ends with the hop that led here. */
  readonly arriving: Promise<Ended | null>;
};

/** One wallet, with what to say when it cannot be read. */
const takeStep = async (
  journey: Journey,
  stand: Stand,
  { steps, hops, check, isAgain, arriving }: Taking,
): Promise<Outcome | Swapped> => {
  const isFirst = steps.length === 0;
  try {
    if (check === null) return await readWallet(journey, stand);
    const passage = await readPassage(journey, stand);
    if (passage.type === 'hop') return passage;
    // What follows reads busy wallets: services, and pools that a swap was paid to. They must be on the trail.
    const end = await arriving;
    if (end !== null) return end;
    if (passage.transfers?.page.rows.length === 0) journey.evidence.begin(hops);
    const [swapped, firstPage] = await Promise.all([
      check(steps, journey.read),
      firstPageOf(journey, passage),
    ]);
    return swapped ?? (await readWallet(journey, stand, firstPage));
  } catch (error) {
    return endUnread(journey, { wallet: stand.wallet, isFirst, isAgain }, error);
  }
};

/** Of transfers, where no swap stands among them; else null. */
const firstPageOf = async (journey: Journey, { transfers }: Unclear): Promise<FlowPage | null> => {
  if (transfers === null) return null;
  const { page, whole } = transfers;
  const mayHaveSwapped = await readSwappers(journey, [whole], journey.read);
  return mayHaveSwapped(whole.wallet) ? null : page;
};

type Labelled = Ended | { readonly type: 'hop'; readonly hop: FoundHop };

const labelHop = async (journey: Journey, hop: UnlabelledHop, place: UnreadPlace): Promise<Labelled> => {
  try {
    const labels = await readLabels(journey, [hop.to, ...hop.others.map(({ to }) => to)]);
    const toLabel = labels.get(hop.to) ?? null;
    const others = await withNames(journey, hop.others, labels);
    return { type: 'hop', hop: { ...hop, toLabel, others } };
  } catch (error) {
    return endUnread(journey, place, error);
  }
};

/** Where reading failed: `isFirst` where nothing was found before it on the way. */
type UnreadPlace = Pick<Walking, 'isAgain'> & { readonly wallet: Address; readonly isFirst: boolean };

const endUnread = (
  { request, asset }: Journey,
  { wallet: address, isFirst, isAgain }: UnreadPlace,
  error: unknown,
): Ended => {
  const isSpent = error instanceof BudgetSpentError;
  // Who walks again has read it before: that the time did not do for it is an answer.
  if (isFirst && !(isAgain && isSpent)) return refuseWithoutAnswer(error);
  const describe = describeEnd(request, asset);
  if (isSpent) return unread({ reason: 'max_hops', address, detail: describe.timeUsed(address) });
  if (error instanceof ReadFailedError && error.code !== 'aborted')
    return unread({ reason: 'no_data', because: 'failed', address, detail: describe.unread(address) });
  throw error;
};

const unread = (end: FoundEnd): Ended => ({ type: 'end', end, isWhole: false });
const endWhole = (end: FoundEnd): Ended => ({ type: 'end', end, isWhole: true });

const endAtService = async (journey: Journey, hop: FoundHop): Promise<Ended | null> => {
  const { to: address, toLabel } = hop;
  if (toLabel === null) return null;
  const kind = passingKind(toLabel);
  const describe = describeEnd(journey.request, journey.asset);
  const detail = describe.labelled(toLabel);
  switch (kind) {
    case 'bridge': {
      const { output, besides } = await findFarSide(journey, hop);
      return endWhole({
        reason: 'bridge',
        address,
        detail: detail + describe.crossedBesides(besides),
        output,
      });
    }
    case 'exchange':
    case 'mixer':
      return endWhole({ reason: kind, address, detail });
    default:
      return null;
  }
};

/** Where the last hop led to one: what leaves it later, and not in the same transaction, is another customer's. */
const endAtDex = (
  { request, asset }: Journey,
  { into, isPassage }: { readonly into: FoundHop | undefined; readonly isPassage: boolean },
): Ended | null => {
  if (isPassage || !into?.toLabel || passingKind(into.toLabel) !== 'dex') return null;
  const { to: address, signature, sinceUnixSeconds: timeUnixSeconds } = into;
  const detail = describeEnd(request, asset).soldUnseen(address);
  return endWhole({ reason: 'dex_swap', address, detail, output: null, signature, timeUnixSeconds });
};

const endWithHopsUsed = ({ request, asset }: Journey, address: Address): Ended =>
  endWhole({
    reason: 'max_hops',
    address,
    detail: describeEnd(request, asset).hopsUsed(request.maxHops),
  });

const endWithLoop = ({ request, asset }: Journey, address: Address): Ended =>
  endWhole({ reason: 'loop', address, detail: describeEnd(request, asset).looped(address) });

/** Where the start wallet's history is still to be read, the payment may be in it. */
const endUnpaid = async (journey: Journey): Promise<FoundEnd> => {
  const { start: address, counterparty } = journey.request;
  const { onward } = await knowWallet(journey, { wallet: address, arrivals: null }, []);
  if (onward === 'unread') return endUnindexed(journey, address);
  const detail = describeEnd(journey.request, journey.asset).unpaid(address, counterparty ?? '');
  return { reason: 'no_data', because: 'unpaid', address, detail };
};
