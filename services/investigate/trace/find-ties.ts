import type { Address } from '../model/address.ts';
import type { Circle, Direction, Meeting, Neighbour } from '../model/trace-reader.ts';
import { compareTransactions } from '../model/transfer-reader.ts';
import type { Ask } from './ask.ts';
import { GO_BETWEENS_MAX, POPULAR_ABOVE, PRIVATE_UP_TO } from './rules.ts';
import type { Acquaintances, FoundEvidence, Suspects } from './suspects.ts';

type Tie = readonly [Address, FoundEvidence];

/** Both sides of the service are one wallet: address match, Béres et al. 2021; heuristic 1 of Wu et al., Tutela. */
export const findSameWallet = ({ wallet, byWallet }: Suspects): Tie[] =>
  byWallet.has(wallet)
    ? [
        [
          wallet,
          {
            family: 'same_wallet',
            grade: 'strong',
            detail: 'The same wallet is on both sides.',
            proofs: (byWallet.get(wallet) ?? []).slice(0, 1),
          },
        ],
      ]
    : [];

/**
 * Transfers between the traced wallet and a candidate outside the service (Wu et al., Tutela, heuristic 3, "linked
 * addresses"), among them the coins by which a depositor made a recipient able to take its money out (Béres et al. 2021
 * call the lack of gas at fresh withdrawal wallets the mixer's weak point).
 */
export const findDirectTies = (suspects: Suspects, { of }: Acquaintances): Tie[] =>
  of.flatMap((neighbour): Tie[] => {
    const { counterparty, first } = neighbour;
    const fits = suspects.byWallet.get(counterparty);
    if (fits === undefined || counterparty === suspects.wallet) return [];
    const paidAhead = isDepositorPaying(suspects, neighbour) && isBeforeWithdrawal(suspects, neighbour);
    return [
      [
        counterparty,
        paidAhead
          ? {
              family: 'gas_by_depositor',
              grade: 'strong',
              detail: 'The depositor had paid the recipient before it took the money out.',
              proofs: [first],
            }
          : {
              family: 'direct_transfer',
              grade: 'strong',
              detail: 'The two wallets paid one another outside the service.',
              proofs: [first],
            },
      ],
    ];
  });

const isDepositorPaying = ({ direction }: Suspects, neighbour: Neighbour): boolean =>
  neighbour.direction === (direction === 'forward' ? 'out' : 'in');

/** Forward a candidate's fits are its withdrawals; backward the anchor is the traced wallet's. */
const isBeforeWithdrawal = (
  { direction, anchor, byWallet }: Suspects,
  { counterparty, first }: Neighbour,
): boolean => {
  const withdrawals = direction === 'backward' ? [anchor] : (byWallet.get(counterparty) ?? []);
  return withdrawals.some((withdrawal) => compareTransactions(first, withdrawal) < 0);
};

/**
 * Ties through a third wallet that few others know: one that funded both, or one that both pay, a deposit address of an
 * exchange above all (Victor 2020; Wu et al., Tutela). What half the chain has in common says nothing: a go-between with
 * more than `POPULAR_ABOVE` payees (payers) is passed over.
 */
export const findTiesThroughOthers = async (
  suspects: Suspects,
  acquaintances: Acquaintances,
  ask: Ask,
): Promise<Tie[]> => {
  const mine = chooseGoBetweens(suspects, acquaintances);
  const circles = await readOtherSides(mine, suspects, ask);
  const sides = new Map(circles.map((circle) => [sideKey(circle.wallet, circle.direction), circle]));
  return mine.flatMap((acquaintance) => {
    const { counterparty: between, direction } = acquaintance;
    const { others = 0, met = [] } = sides.get(sideKey(between, opposite(direction))) ?? {};
    const isDepositAddress = acquaintances.services.get(between)?.kind === 'exchange';
    return met.map(
      (other): Tie => [
        other.counterparty,
        describe({ acquaintance, other, known: others, isDepositAddress }),
      ],
    );
  });
};

const opposite = (direction: Direction): Direction => (direction === 'in' ? 'out' : 'in');

/** Which candidates they paid, of those that paid me; which paid them, of those that I did. */
const readOtherSides = (
  mine: readonly Neighbour[],
  { wallet, byWallet }: Suspects,
  { reader, limits, families }: Ask,
): Promise<readonly Circle[]> => {
  const sides = mine.map(({ counterparty, direction }) => ({
    wallet: counterparty,
    direction: opposite(direction),
  }));
  const among = [...byWallet.keys()].filter((candidate) => candidate !== wallet);
  return reader.circles({ ...limits, families, sides, among, othersMax: POPULAR_ABOVE });
};

const sideKey = (wallet: Address, direction: Direction): string => `${wallet} ${direction}`;

/** Funders nobody knows; payees that nobody knows or that are an exchange's. Candidates are tied directly, or not. */
const chooseGoBetweens = (suspects: Suspects, { of, services }: Acquaintances): readonly Neighbour[] => {
  const others = of.filter(
    ({ counterparty }) => counterparty !== suspects.wallet && !suspects.byWallet.has(counterparty),
  );
  const unknown = others.filter(({ counterparty }) => !services.has(counterparty));
  const isExchange = ({ counterparty }: Neighbour) => services.get(counterparty)?.kind === 'exchange';
  const first = (direction: Direction, neighbours: readonly Neighbour[]) =>
    neighbours.filter((neighbour) => neighbour.direction === direction).slice(0, GO_BETWEENS_MAX);
  return [...first('in', unknown), ...first('out', [...others.filter(isExchange), ...unknown])];
};

type Through = {
  readonly acquaintance: Neighbour;
  readonly other: Meeting;
  readonly known: number;
  readonly isDepositAddress: boolean;
};

const describe = ({ acquaintance, other, known, isDepositAddress }: Through): FoundEvidence => {
  const proofs = [acquaintance.first, other.first];
  const grade = known <= PRIVATE_UP_TO ? 'strong' : 'plain';
  if (acquaintance.direction === 'in')
    return {
      family: 'shared_funder',
      grade,
      detail: `One wallet, which paid ${known} in all, funded both.`,
      proofs,
    };
  return isDepositAddress
    ? {
        family: 'shared_deposit_address',
        grade,
        detail: `Both paid into one deposit address of an exchange, which ${known} in all paid.`,
        proofs,
      }
    : { family: 'shared_payee', grade, detail: `Both paid one wallet, which ${known} in all paid.`, proofs };
};
