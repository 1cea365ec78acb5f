import type { Address } from '../../model/address.ts';
import {
  type CounterpartyCount,
  type Direction,
  type Neighbour,
  opposite,
} from '../../model/trace-reader.ts';
import type { TransactionPosition } from '../../model/transfer-reader.ts';
import type { CandidateSet, Counterparties } from '../candidate-set.ts';
import type { QueryContext } from '../query-context.ts';
import { AMONG_MAX, GO_BETWEENS_MAX, POPULAR_ABOVE, PRIVATE_UP_TO } from '../rules.ts';
import type { PaidTie } from './keep-paid.ts';
import { isBeforeUse, toPayment } from './payment.ts';

/** `complete` is false when there are more go-betweens than are read. */
type ThroughOthers = { readonly ties: readonly PaidTie[]; readonly complete: boolean };

/**
 * Finds ties through a third wallet with few counterparties: one that funded both, or one that both pay,
 * above all an exchange's deposit address (Victor 2020; Wu et al., Tutela). A go-between with more than
 * `POPULAR_ABOVE` payees (payers) proves nothing and is skipped. So is a go-between that was active on days
 * that are not indexed, because its number of counterparties is unknown.
 */
export const findTiesThroughOthers = async (
  candidateSet: CandidateSet,
  counterparties: Counterparties,
  context: QueryContext,
): Promise<ThroughOthers> => {
  const { mine, complete } = chooseGoBetweens(candidateSet, counterparties);
  const counts = await readOtherSides(mine, candidateSet, context);
  const sides = new Map(counts.map((count) => [sideKey(count.wallet, count.direction), count]));
  const ties = mine.flatMap((neighbour) => {
    const { counterparty: between, direction } = neighbour;
    const { others = 0, met = [] } = sides.get(sideKey(between, opposite(direction))) ?? {};
    const isDepositAddress = counterparties.services.get(between)?.kind === 'exchange';
    return met
      .filter(
        ({ counterparty: wallet, first }) =>
          direction === 'out' || isBeforeUse(candidateSet, { wallet, first }),
      )
      .map((other) => ({
        wallet: other.counterparty,
        between,
        evidence: describe({ neighbour, known: others, isDepositAddress }),
        payments: [
          toPayment(neighbour),
          toPayment({ ...other, wallet: between, direction: opposite(direction) }),
        ],
      }));
  });
  const isIndexed = (at: TransactionPosition): boolean =>
    at.blockTime >= candidateSet.indexedSinceUnixSeconds;
  return {
    ties: ties.filter(({ payments }) => payments.every(({ at }) => isIndexed(at))),
    complete: complete && mine.every(({ first }) => isIndexed(first)),
  };
};

type OtherSide = Omit<CounterpartyCount, 'firstUnixSeconds'>;

/** The candidates paid by wallets that paid the traced one, and the candidates that paid its payees. */
const readOtherSides = async (
  mine: readonly Neighbour[],
  { wallet, byWallet }: CandidateSet,
  { reads, onChain, canonicalAssets, leastRaw }: QueryContext,
): Promise<readonly OtherSide[]> => {
  const sides = mine.map(({ counterparty, direction }) => ({
    wallet: counterparty,
    direction: opposite(direction),
  }));
  const among = [...byWallet.keys()].filter((candidate) => candidate !== wallet);
  const asked = { ...onChain, canonicalAssets, leastRaw };
  if (among.length <= AMONG_MAX) {
    const counted = sides.map((side) => ({ ...side, among }));
    const counts = await reads.counterpartyCounts({ ...asked, othersMax: POPULAR_ABOVE }, counted);
    return counts.filter((count) => count !== null);
  }
  const isAmong = new Set(among);
  const listed = await reads.neighbours({ ...asked, perSideMax: POPULAR_ABOVE + 1 }, sides);
  return listed.flatMap((others) => {
    const [side] = others;
    const isPopular = others.length > POPULAR_ABOVE;
    const met = isPopular ? [] : others.filter(({ counterparty }) => isAmong.has(counterparty));
    return side === undefined ? [] : [{ ...side, others: others.length, met }];
  });
};

const sideKey = (wallet: Address, direction: Direction): string => `${wallet} ${direction}`;

type GoBetweens = { readonly mine: readonly Neighbour[]; readonly complete: boolean };

/**
 * Unlisted funders that paid before the service was used, and payees that are unlisted or an exchange's.
 * Candidates are included, because the funder of two wallets may use the service itself.
 */
const chooseGoBetweens = (candidateSet: CandidateSet, { of, services }: Counterparties): GoBetweens => {
  const others = of.filter(({ counterparty }) => counterparty !== candidateSet.wallet);
  const unknown = others.filter(({ counterparty }) => !services.has(counterparty));
  const isExchange = ({ counterparty }: Neighbour) => services.get(counterparty)?.kind === 'exchange';
  const isCandidate = ({ counterparty }: Neighbour) => candidateSet.byWallet.has(counterparty);
  const funders = unknown.filter(
    ({ wallet, first, direction }) => direction === 'in' && isBeforeUse(candidateSet, { wallet, first }),
  );
  const payees = [...others.filter(isExchange), ...unknown].filter(({ direction }) => direction === 'out');
  const groups = [funders, payees].flatMap((side) => [
    side.filter((one) => !isCandidate(one)),
    side.filter(isCandidate),
  ]);
  return {
    mine: groups.flatMap((group) => group.slice(0, GO_BETWEENS_MAX)),
    complete: groups.every(({ length }) => length <= GO_BETWEENS_MAX),
  };
};

type Through = {
  readonly neighbour: Neighbour;
  readonly known: number;
  readonly isDepositAddress: boolean;
};

const describe = ({ neighbour, known, isDepositAddress }: Through): PaidTie['evidence'] => {
  const grade = known <= PRIVATE_UP_TO ? 'strong' : 'plain';
  if (neighbour.direction === 'in') {
    const detail = `In the indexed blocks one wallet paid both, one of them before anybody else did. It paid ${known} wallets there.`;
    return { family: 'shared_funder', grade, detail };
  }
  return isDepositAddress
    ? {
        family: 'shared_deposit_address',
        grade,
        detail: `Both paid into one deposit address of an exchange. ${known} wallets paid into it in the indexed blocks.`,
      }
    : {
        family: 'shared_payee',
        grade,
        detail: `Both paid one wallet. ${known} wallets paid it in the indexed blocks.`,
      };
};
