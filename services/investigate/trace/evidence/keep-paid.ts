import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { Chain } from '../../model/chain.ts';
import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import type { CandidateSet, FoundEvidence } from '../candidate-set.ts';
import { isDust } from '../dust.ts';
import { isMostOf } from '../link-legs.ts';
import type { QueryContext } from '../query-context.ts';
import { readRows } from '../read-rows.ts';
import type { Search } from '../search.ts';
import type { Holding } from '../trace-answer.ts';
import { judgeAfterwards, type Paid } from './judge-afterwards.ts';
import type { Payment } from './payment.ts';

export type Tie = readonly [Address, FoundEvidence];

/**
 * Evidence that holds only if each of these payments was real, from the payer's own money, and kept by the
 * payee. The payments are its proofs.
 */
export type PaidTie = {
  readonly wallet: Address;
  readonly evidence: Omit<FoundEvidence, 'proofs'>;
  readonly payments: readonly Payment[];
  /** The go-between, if the two are not tied directly. */
  readonly between?: Address;
};

/**
 * `complete` is false when the transactions have more rows than are read; `isPriced` when prices were
 * missing.
 */
type KeptTies = {
  readonly ties: readonly PaidTie[];
  readonly complete: boolean;
  readonly isPriced: boolean;
};

/**
 * Keeps ties whose payments were real: more than dust, from the payer's own money, and kept by the payee,
 * judged by the rows of their transactions. Anybody can send dust to a stranger, a victim pays a thief only
 * formally, and routers, pools and market makers deal with everybody. Payments after the use count from a
 * hundredth of the traced amount on. Queries only when there are ties, and only for the coin and stablecoins,
 * because rows of other tokens could hide the rest.
 */
export const keepPaid = async (
  ties: readonly PaidTie[],
  { search, candidateSet }: { readonly search: Search; readonly candidateSet: CandidateSet },
  context: QueryContext,
): Promise<KeptTies> => {
  const positions = ties.flatMap(({ payments }) => payments.map(({ at }) => at));
  const { rows, complete } = await readRows(positions, context.canonicalAssets, context);
  const byPlace = Map.groupBy(rows, transactionKey);
  const paid = ties.map(({ wallet: candidate, evidence, payments }) =>
    payments.map((payment): Paid => {
      const beside = byPlace.get(transactionKey(payment.at)) ?? [];
      return { candidate, payment, given: keepGiven(evidence, payment, beside, candidateSet.chain) };
    }),
  );
  const { isInEarnest, isPriced } = await judgeAfterwards(paid.flat(), { search, candidateSet }, context);
  const isKept = (one: Paid): boolean => one.given.length > 0 && isInEarnest(one);
  return { ties: ties.filter((_, index) => paid[index]?.every(isKept)), complete, isPriced };
};

/** The part that the payer gave of its own money and the payee kept. */
const keepGiven = (
  { family }: PaidTie['evidence'],
  payment: Payment,
  rows: readonly TransactionRow[],
  chain: Chain,
): Holding[] => {
  const { given, got, gave } = sumUp(payment, rows, chain);
  // A deposit address may be a contract that sweeps at once.
  const beside = family === 'shared_deposit_address' ? got : [...got, ...gave];
  return given.filter((one) => !beside.some((other) => isPassage(one, other)));
};

/** The evidence with its payments as proofs. */
export const toTie = ({ wallet, evidence, payments }: PaidTie): Tie => [
  wallet,
  { ...evidence, proofs: payments.map(({ at }) => at) },
];

/**
 * The flows between payer and payee in one transaction: what the payer gave of its own, what it received, and
 * what the payee gave, each without dust.
 */
const sumUp = ({ payer, payee }: Payment, rows: readonly TransactionRow[], chain: Chain) => {
  const sums = (counts: (row: TransactionRow) => boolean): Holding[] =>
    [...Map.groupBy(rows.filter(counts), ({ canonicalAsset }) => canonicalAsset)]
      .map(([canonicalAsset, of]) => ({ canonicalAsset, amountRaw: sumOf(of) }))
      .filter(({ canonicalAsset, amountRaw }) => !isDust(chain, canonicalAsset, amountRaw));
  return {
    given: sums((row) => row.from === payer && row.to === payee && isOwnDoing(row)),
    got: sums(({ to }) => to === payer),
    gave: sums(({ from }) => from === payee),
  };
};

/**
 * Whether a payment only passed through, or was for another asset. A small amount back in the same asset is
 * change.
 */
const isPassage = (given: Holding, beside: Holding): boolean =>
  beside.canonicalAsset !== given.canonicalAsset || isMostOf(beside.amountRaw, given.amountRaw);

/** A payment that another address made by an allowance or as a delegate is not the wallet's own. */
const isOwnDoing = ({
  from,
  sender,
  authority,
}: Pick<TransactionRow, 'from' | 'sender' | 'authority'>): boolean => authority === null || sender === from;
