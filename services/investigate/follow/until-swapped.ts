import { ReadFailedError } from '../model/transfer-reader.ts';
import { BudgetSpentError } from './follow-reader.ts';
import type { Journey } from './journey.ts';
import type { Outcome } from './read-wallet.ts';
import { mayLogFalsely } from './take-outgoing.ts';

/**
 * The steps before the first that another one could take the place of, because its wallet swapped what was taken to have been
 * passed on. One read for all of them; where it fails, none that rests on it stays.
 */
export const untilSwapped = async (
  { request: { chain }, asset: { family }, readAtEnd }: Journey,
  steps: readonly Outcome[],
): Promise<readonly Outcome[]> => {
  const unaskedOf = (step: Outcome) => (step.type === 'hop' ? step.unasked : null);
  const spans = steps.flatMap((step) => unaskedOf(step) ?? []);
  if (spans.length === 0) return steps;
  const asked = { chain: chain.name, family, ownOnly: mayLogFalsely(chain, family), spans };
  const swappers = await readAtEnd((reader, limits) => reader.swappers({ ...asked, ...limits })).catch(
    allOnFailure,
  );
  const first = steps.findIndex((step) => {
    const unasked = unaskedOf(step);
    return unasked !== null && (swappers === 'all' || swappers.has(unasked.wallet));
  });
  return first === -1 ? steps : steps.slice(0, first);
};

const allOnFailure = (error: unknown): 'all' => {
  if (error instanceof BudgetSpentError) return 'all';
  if (error instanceof ReadFailedError && error.code !== 'aborted') return 'all';
  throw error;
};
