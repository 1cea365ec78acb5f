import type { Direction, Neighbour } from '../../model/trace-reader.ts';
import { POPULAR_ABOVE } from '../rules.ts';
import type { Acquaintances, Suspects } from '../suspects.ts';
import type { PaidTie } from './keep-paid.ts';
import { isBeforeUse, toPayment } from './payment.ts';

/**
 * Transfers between the traced wallet and a candidate outside the service (Wu et al., Tutela, heuristic 3, "linked
 * addresses"), among them the coins by which a depositor made a recipient able to take its money out (Béres et al. 2021
 * call the lack of gas at fresh withdrawal wallets the mixer's weak point).
 */
export const findDirectTies = (suspects: Suspects, { of }: Acquaintances): PaidTie[] => {
  const popular = findPopularSides(suspects, of);
  return of.flatMap((neighbour): PaidTie[] => {
    const { wallet, byWallet } = suspects;
    const { counterparty, direction, first } = neighbour;
    const grade = popular.has(direction) ? 'plain' : 'strong';
    if (counterparty === wallet || !byWallet.has(counterparty)) return [];
    const recipient = suspects.direction === 'forward' ? counterparty : wallet;
    const paidAhead =
      isDepositorPaying(suspects, neighbour) && isBeforeUse(suspects, { wallet: recipient, first });
    return [
      {
        wallet: counterparty,
        payments: [toPayment(neighbour)],
        evidence: paidAhead
          ? {
              family: 'gas_by_depositor',
              grade,
              detail: 'The depositor had paid the recipient before it took the money out.',
            }
          : {
              family: 'direct_transfer',
              grade,
              detail: 'The two wallets paid one another outside the service.',
            },
      },
    ];
  });
};

/** On which side the traced wallet deals with as many as make a go-between popular, and with several candidates: of those one may be its owner's. */
const findPopularSides = ({ byWallet }: Suspects, of: readonly Neighbour[]): ReadonlySet<Direction> =>
  new Set(
    (['in', 'out'] as const).filter((side) => {
      const others = of.filter(({ direction }) => direction === side);
      const tied = others.filter(({ counterparty }) => byWallet.has(counterparty));
      return others.length > POPULAR_ABOVE && tied.length > 1;
    }),
  );

const isDepositorPaying = ({ direction }: Suspects, neighbour: Neighbour): boolean =>
  neighbour.direction === (direction === 'forward' ? 'out' : 'in');
