import type { Direction, Neighbour } from '../../model/trace-reader.ts';
import type { CandidateSet, Counterparties } from '../candidate-set.ts';
import { POPULAR_ABOVE } from '../rules.ts';
import type { PaidTie } from './keep-paid.ts';
import { isBeforeUse, toPayment } from './payment.ts';

/**
 * Finds transfers between the traced wallet and a candidate outside the service (Wu et al., Tutela, heuristic
 * 3, "linked addresses"). They include coin for gas from a depositor to the withdrawal wallet, whose lack of
 * gas Béres et al. 2021 call the mixer's weak point.
 */
export const findDirectTies = (candidateSet: CandidateSet, { of }: Counterparties): PaidTie[] => {
  const { wallet, byWallet } = candidateSet;
  const popular = findPopularSides(candidateSet, of);
  return of
    .filter(({ counterparty }) => counterparty !== wallet && byWallet.has(counterparty))
    .map((neighbour): PaidTie => {
      const { counterparty, direction, first } = neighbour;
      const recipient = candidateSet.direction === 'out' ? counterparty : wallet;
      const paidAhead =
        direction === candidateSet.direction && isBeforeUse(candidateSet, { wallet: recipient, first });
      return {
        wallet: counterparty,
        payments: [toPayment(neighbour)],
        evidence: {
          ...(paidAhead ? GAS : TRANSFER[direction]),
          grade: popular.has(direction) ? 'plain' : 'strong',
        },
      };
    });
};

const GAS = {
  family: 'gas_by_depositor',
  detail: 'The depositor had paid the recipient before it took the money out.',
} as const;
const TRANSFER = {
  out: { family: 'direct_transfer', detail: 'The traced wallet paid this one outside the service.' },
  in: { family: 'direct_transfer', detail: 'This wallet paid the traced one outside the service.' },
} as const;

/**
 * The sides on which the traced wallet has as many counterparties as a popular go-between, several candidates
 * among them: at most one of those is its owner.
 */
const findPopularSides = ({ byWallet }: CandidateSet, of: readonly Neighbour[]): ReadonlySet<Direction> =>
  new Set(
    (['in', 'out'] as const).filter((side) => {
      const others = of.filter(({ direction }) => direction === side);
      const tied = others.filter(({ counterparty }) => byWallet.has(counterparty));
      return others.length > POPULAR_ABOVE && tied.length > 1;
    }),
  );
