import type { Address } from '../model/address.ts';
import { passingKind } from '../model/label.ts';
import { addCaveats } from './add-caveats.ts';
import { arrive } from './arrive.ts';
import { addContract, addDirect, passesOn } from './contracts/join-hops.ts';
import { BudgetSpentError } from './follow-reader.ts';
import type { Journey, Stand } from './journey.ts';
import { type Bounce, findReturned } from './payments/find-returned.ts';
import { compareOnTrail } from './payments/outgoing.ts';
import { type Ended, endWhole, type Onward, type Outcome } from './read-wallet.ts';
import type { CheckSwaps, Swapped } from './sales/check-swaps.ts';
import { takeStep } from './take-step.ts';
import type { FoundEnd, FoundHop } from './trail.ts';

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
  readonly isAgain: boolean;
};

/** From wallet to wallet, each once. What was found on the way may show that the first steps do not stand. */
export const walk = async (journey: Journey, walking: Walking): Promise<Path | Swapped | Bounce> => {
  const { start, known, check, isAgain } = walking;
  const { request } = journey;
  const compare = compareOnTrail(request.backward);
  const hops: FoundHop[] = [];
  const steps: Outcome[] = [];
  const ended = (ending: Ended) => endPath(journey, { hops, steps, check, ending });
  const visited = new Set<Address>([request.start]);
  const take = async (next: Stand, arriving: Promise<Ended | null>): Promise<Outcome | Swapped | Bounce> => {
    const step =
      known[steps.length] ??
      (await takeStep(journey, next, { steps, hops, visited, check, isAgain, arriving }));
    return 'known' in step ? step : (findReturned([...steps, step]) ?? step);
  };
  let stand = start;
  let reading = take(stand, Promise.resolve(null));
  /** Out of the last wallet that was not just passed through, with what those since then paid beside. */
  let payer: Onward | null = null;
  for (;;) {
    const outcome = await reading;
    if ('known' in outcome) return outcome;
    steps.push(outcome);
    const isPassage = outcome.type === 'hop' && passesOn(stand, outcome.next);
    const sale = endAtDex({ into: hops.at(-1), isPassage });
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
    reading = visited.has(hop.to) ? Promise.resolve(endWithLoop(hop.to)) : take(next, arriving);
    reading.catch(() => undefined);
    const end = await arriving;
    if (end !== null) return ended(end);
    visited.add(hop.to);
    stand = next;
    payer = addContract(through, outcome);
  }
};

type Ending = Pick<Path, 'hops'> &
  Pick<Walking, 'check'> & { readonly steps: readonly Outcome[]; readonly ending: Ended };

const endPath = async (
  { readAtEnd, evidence }: Journey,
  { hops, steps, check, ending: { end, isComplete } }: Ending,
): Promise<Path | Swapped> => {
  evidence.begin(hops);
  try {
    const swapped = await check?.(steps, readAtEnd);
    return swapped ?? { hops, end, isComplete: isComplete && steps.every((step) => step.isComplete) };
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error;
    return { hops, end: addCaveats(end, [{ type: 'swaps_unread' }]), isComplete };
  }
};

/** A contract may be passed through again, but not by the same money in the same transactions. */
const forgetContracts = (visited: Set<Address>, hop: FoundHop | undefined): void => {
  for (const { address } of hop?.through ?? []) visited.delete(address);
};

/** Where the last hop led to one: what leaves it later, and not in the same transaction, is another customer's. */
const endAtDex = ({
  into,
  isPassage,
}: {
  readonly into: FoundHop | undefined;
  readonly isPassage: boolean;
}): Ended | null => {
  if (isPassage || !into?.toLabel || passingKind(into.toLabel) !== 'dex') return null;
  const { to: address, signature, sinceUnixSeconds: timeUnixSeconds } = into;
  const told = { why: { type: 'sold_unseen' }, caveats: [] } as const;
  return endWhole({ reason: 'dex_swap', address, ...told, output: null, signature, timeUnixSeconds });
};

const endWithHopsUsed = ({ request }: Journey, address: Address): Ended =>
  endWhole({
    reason: 'max_hops',
    address,
    why: { type: 'hops_used', hops: request.maxHops },
    caveats: [],
  });

const endWithLoop = (address: Address): Ended =>
  endWhole({ reason: 'loop', address, why: { type: 'looped' }, caveats: [] });
