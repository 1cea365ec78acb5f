import type { PaymentState } from './decider/state.ts';
import { PURCHASE_PREFIX, purchaseIdOf } from './purchase-id.ts';

/** Credits that the ledger added. `payer`: `account:<id>`; `id`: the command's. */
export type GivenCredits = { readonly payer: string; readonly id: string; readonly credits: number };

export type PaymentProblem = { readonly key: string; readonly wallet: string; readonly problem: string };

/** The reconciler gives credits within seconds; credits missing for longer are never given. */
const GIVEN_WITHIN_MS = 15 * 60_000;

/**
 * Differences between credits given and credits bought. `given` is as of `givenUnixMs` and was read before the
 * payments, so everything in it was settled by then.
 */
export const compareGrants = (
  payments: Iterable<PaymentState>,
  given: readonly GivenCredits[],
  givenUnixMs: number,
): PaymentProblem[] => {
  const problems: PaymentProblem[] = [];
  const ofPurchases = given.filter(({ id }) => id.startsWith(PURCHASE_PREFIX));
  const creditsIn = new Map(ofPurchases.map(({ payer, id, credits }) => [`${payer} ${id}`, credits]));
  for (const { key, wallet, status, statusUnixMs, claim } of payments) {
    if (claim.grant === null || status === 'failed' || status === 'released') continue;
    const payer = `account:${claim.grant.accountId}`;
    const place = `${payer} ${purchaseIdOf(key)}`;
    const isDue = status === 'settled' && statusUnixMs + GIVEN_WITHIN_MS <= givenUnixMs;
    const credits = creditsIn.get(place) ?? (isDue ? 0 : claim.grant.credits);
    creditsIn.delete(place);
    if (credits === claim.grant.credits) continue;
    const problem = `bought ${claim.grant.credits} credits for ${payer}, and the ledger gave ${credits}`;
    problems.push({ key, wallet, problem });
  }
  for (const { payer, id, credits } of ofPurchases)
    if (creditsIn.has(`${payer} ${id}`)) {
      const problem = `bought ${payer} nothing by its events, and the ledger gave it ${credits} credits`;
      problems.push({ key: id.slice(PURCHASE_PREFIX.length), wallet: 'nobody', problem });
    }
  return problems;
};
