import type { Address } from '../model/address.ts';
import { passingKind } from '../model/label.ts';
import { arrive } from './arrive.ts';
import { type Ended, endWhole, type Outcome, resolveHop } from './decide-hop.ts';
import { endUnread } from './end-unread.ts';
import type { FollowContext, Stand } from './follow-context.ts';
import { BudgetSpentError } from './follow-reader.ts';
import { type CheckSwaps, type Swapped, takeStep } from './reading/take-step.ts';
import type { FollowRequest, FoundEnd, FoundHop } from './trail.ts';
import { addCaveats } from './why.ts';

export type Path = {
  readonly hops: readonly FoundHop[];
  readonly end: FoundEnd;
  readonly isComplete: boolean;
};

export type Walking = {
  readonly start: Stand;
  /** The first steps, where they were taken before. */
  readonly known: readonly Outcome[];
  /** null: every wallet is read with its swaps. */
  readonly check: CheckSwaps | null;
  /** What was found before did not stand. */
  readonly isRetry: boolean;
};

/** Hops and the decisions that they follow from, as far as the trail was walked. */
type Way = {
  stand: Stand;
  known: readonly Outcome[];
  isRetry: boolean;
  readonly hops: FoundHop[];
  readonly steps: Outcome[];
};

/** From wallet to wallet, each once. */
export const walk = async (context: FollowContext, walking: Walking): Promise<Path | Swapped> => {
  const { start: stand, check, known, isRetry } = walking;
  const { request } = context;
  const way: Way = { stand, known, isRetry, hops: [], steps: [] };
  const { hops, steps } = way;
  const ended = (ending: Ended) => endPath(context, { hops, steps, check, ending });
  const take = async (arriving: Promise<Ended | null>): Promise<Outcome | Swapped> => {
    const { isRetry, known } = way;
    const visited = visitedBy(request, hops);
    return (
      known[steps.length] ?? takeStep(context, way.stand, { steps, hops, visited, check, isRetry, arriving })
    );
  };
  let reading = take(NOT_ENDED);
  for (;;) {
    const read = await reading;
    if (read.type === 'swapped') return read;
    const outcome = await lookBack(context, way, read);
    if (goBackToRefunded(context, way)) {
      reading = take(NOT_ENDED);
      continue;
    }
    steps.push(outcome);
    const sale = endAtDex(hops.at(-1));
    if (sale !== null) return ended(sale);
    if (outcome.type === 'end') return ended(outcome);
    if (hops.length >= request.maxHops) return ended(endWithHopsUsed(context, way.stand.wallet));
    const { hop, next } = outcome;
    const visited = visitedBy(request, hops);
    const arriving = arrive(context, { wallet: way.stand.wallet, hop, isRetry: way.isRetry }, hops);
    way.stand = next;
    // Most hops lead to a wallet nobody knows: it is read while its label is looked up.
    reading = visited.has(hop.to) ? Promise.resolve(endWithLoop(hop.to)) : take(arriving);
    reading.catch(() => undefined);
    const end = await arriving;
    if (end !== null) return ended(end);
  }
};

const NOT_ENDED = Promise.resolve(null);

const visitedBy = ({ start }: FollowRequest, hops: readonly FoundHop[]): ReadonlySet<Address> =>
  new Set([start, ...hops.map(({ to }) => to)]);

/** A wallet that paid on at once what it got may be a contract: the hop to it leads to whom it paid. */
const lookBack = async (context: FollowContext, way: Way, after: Outcome): Promise<Outcome> => {
  const { hops, steps } = way;
  const before = steps.at(-1);
  const visited = visitedBy(context.request, hops.slice(0, -1));
  const isRound = after.type === 'hop' && visited.has(after.hop.to);
  if (before?.type !== 'hop' || !after.paysAtOnce || (before.isResolved && !isRound)) return after;
  const place = { wallet: before.stand.wallet, isFirst: steps.length === 1, isRetry: true };
  const resolved = await resolveHop(context, before, { after, visited }).catch((error: unknown) =>
    endUnread(place, error),
  );
  if (resolved === null || resolved === 'refunded' || before.isResolved) return after;
  goBack(way, steps.length - 1, before.stand);
  return resolved;
};

/** To the first wallet that got some of its own money back, as is known since. */
const goBackToRefunded = ({ refunds: { touched } }: FollowContext, way: Way): boolean => {
  const isTouched = touched.has(way.stand.wallet);
  const at = way.steps.findIndex((step) => step.type === 'hop' && touched.has(step.hop.from));
  const first = way.steps[at];
  touched.clear();
  if (first?.type === 'hop') goBack(way, at, first.stand);
  way.isRetry ||= isTouched || at !== -1;
  return isTouched || at !== -1;
};

const goBack = (way: Way, steps: number, stand: Stand): void => {
  way.stand = stand;
  way.hops.length = steps;
  way.steps.length = steps;
  way.known = way.known.slice(0, steps);
};

type Ending = Pick<Path, 'hops'> &
  Pick<Walking, 'check'> & { readonly steps: readonly Outcome[]; readonly ending: Ended };

const endPath = async (
  { readAtEnd, details }: FollowContext,
  { hops, steps, check, ending: { end, isComplete } }: Ending,
): Promise<Path | Swapped> => {
  details.begin(hops);
  try {
    const swapped = await check?.(steps, readAtEnd);
    return swapped ?? { hops, end, isComplete: isComplete && steps.every((step) => step.isComplete) };
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error;
    return { hops, end: addCaveats(end, [{ type: 'swaps_unread' }]), isComplete };
  }
};

/** Where the last hop led to one: what leaves it later, and not in the same transaction, is another customer's. */
const endAtDex = (into: FoundHop | undefined): Ended | null => {
  if (!into?.toLabel || passingKind(into.toLabel) !== 'dex') return null;
  const { to: address, signature, sinceUnixSeconds: timeUnixSeconds } = into;
  const told = { why: { type: 'sold_unseen' }, caveats: [] } as const;
  return endWhole({ reason: 'dex_swap', address, ...told, output: null, signature, timeUnixSeconds });
};

const endWithHopsUsed = ({ request }: FollowContext, address: Address): Ended =>
  endWhole({
    reason: 'max_hops',
    address,
    why: { type: 'hops_used', hops: request.maxHops },
    caveats: [],
  });

const endWithLoop = (address: Address): Ended =>
  endWhole({ reason: 'loop', address, why: { type: 'looped' }, caveats: [] });
