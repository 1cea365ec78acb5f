import type { Address } from '../../model/address.ts';
import { addRaw, largestFirst, least, most, sumOf } from '../../model/amount.ts';
import { isService, type Label } from '../../model/label.ts';
import {
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import type { Direction } from '../direction.ts';
import type { FollowContext } from '../follow-context.ts';
import { groupDestinations, isMain } from '../payments/group-destinations.ts';
import type { Outflow } from '../payments/inflow.ts';
import type { ReadTransactions } from '../read-transactions.ts';
import { PASSED_MAX } from '../rules.ts';

/** A payment, and the payment to its final recipient after contracts passed it on; mostly itself. */
export type InnerPath = {
  readonly payment: Outflow;
  readonly reached: Outflow;
  readonly passed: readonly Passing[];
  /** The addresses of a cycle, if the path came back to one of them or to the payer; mostly none. */
  readonly cycle: readonly Address[];
};

export const toDirect = (payment: Outflow, cycle: readonly Address[] = []): InnerPath => ({
  ...{ payment, reached: payment, passed: [], cycle },
});

export const contractsOf = ({ passed }: InnerPath): Address[] => passed.map(({ payout }) => payout.payer);

export type Walking = {
  readonly wallet: Address;
  /** On the trail. */
  readonly visited: ReadonlySet<Address>;
  /** Of addresses met so far. */
  readonly labels: ReadonlyMap<Address, Label>;
  /** Transactions that brought the money. */
  readonly arrivalKeys: ReadonlySet<string>;
  readonly tell: TellPayout;
};

/**
 * A payment that comes back to an address of its own path counts as paid to its first recipient. In the transactions that brought
 * the money, a wallet of the trail ends the path.
 */
export const findInnerPath = (
  payment: Outflow,
  { wallet, visited, arrivalKeys, tell, labels }: Walking,
): InnerPath => {
  if (payment.type === 'swap') return toDirect(payment);
  const passed: Passing[] = [];
  const met = new Set([wallet]);
  const isBroughtHere = arrivalKeys.has(transactionKey(payment));
  let { to, amountRaw } = payment;
  for (;;) {
    if (met.has(to)) return toDirect(payment, [...met]);
    if (passed.length > PASSED_MAX) return toDirect(payment);
    met.add(to);
    if ((isBroughtHere && visited.has(to)) || isService(labels.get(to))) break;
    const passing = tell({ position: payment, payer: to, amountRaw });
    if (passing === null) break;
    passed.push(passing);
    amountRaw = passing.passedRaw;
    to = passing.payout.to;
  }
  if (passed.length === 0) return toDirect(payment);
  return { payment, reached: { ...payment, to, amountRaw }, passed, cycle: [] };
};

/** Who got what came into a contract, within the same transaction. */
export type Payout = {
  readonly payer: Address;
  readonly to: Address;
  /** What `to` got of `ofRaw`: all that came into the contract or all that left it, whichever is more. */
  readonly partRaw: bigint;
  readonly ofRaw: bigint;
  /** Its other payouts there. */
  readonly otherPayouts: readonly PaidAt[];
};

/** What was brought to a contract, and how much of it was passed on, which is more than 0. */
export type Passing = { readonly payout: Payout; readonly broughtRaw: bigint; readonly passedRaw: bigint };

/**
 * The recipient of a contract's payout for an amount brought to it: whoever got the same amount less a fee, else whoever got most of
 * all that came in. Together the answers never pass on more than the contract paid. null: it kept the money, paid nobody most of it,
 * or the transaction was not read.
 */
type TellPayout = (brought: {
  position: TransactionPosition;
  payer: Address;
  amountRaw: bigint;
}) => Passing | null;

type Following = Pick<FollowContext, 'request' | 'asset' | 'direction'>;

/**
 * Works on the rows of whole transactions. Backward, a payout is what somebody paid into the contract for what left it. If several
 * recipients got the same amount, at most `made` of them are named: as many as the wallet made payments in that transaction.
 */
export const createTellPayout = (
  following: Following,
  rows: ReadTransactions['rows'],
  made: readonly TransactionPosition[],
): TellPayout => {
  const paying = new Map([...rows].map(([key, of]) => [key, toPaying(following, of)]));
  const payments = Map.groupBy(made, transactionKey);
  return ({ position, payer, amountRaw: broughtRaw }) => {
    const key = transactionKey(position);
    const paid = paying.get(key)?.get(payer);
    if (paid === undefined) return null;
    const same = findSame(paid, broughtRaw, following.direction);
    if (same.length > 0 && same.length + paid.sameTold > (payments.get(key)?.length ?? 0)) return null;
    const [one] = same;
    if (one !== undefined) paid.sameTold += 1;
    const payout: Payout | null = one
      ? {
          payer,
          to: one.to,
          partRaw: one.amountRaw,
          ofRaw: most(one.amountRaw, broughtRaw),
          otherPayouts: [],
        }
      : paid.payout;
    if (payout === null) return null;
    const { to, partRaw, ofRaw } = payout;
    const leftRaw = partRaw - (paid.claimedRaw.get(to) ?? 0n);
    const passedRaw = least((broughtRaw * partRaw) / ofRaw, leftRaw);
    if (passedRaw === 0n) return null;
    addRaw(paid.claimedRaw, to, passedRaw);
    return { payout, broughtRaw, passedRaw };
  };
};

/** Who got the same amount, in total or in one payment, and was not named yet. */
const findSame = ({ got, payments, claimedRaw }: Paying, broughtRaw: bigint, direction: Direction): Got[] => {
  const isSame = ({ to, amountRaw }: Got): boolean =>
    !claimedRaw.has(to) && direction.equalsWithinFee(amountRaw, broughtRaw);
  const same = got.filter(isSame);
  return same.length > 0 ? same : [...new Map(payments.filter(isSame).map((one) => [one.to, one])).values()];
};

type Got = { readonly to: Address; readonly amountRaw: bigint };
/** A payment within a transaction. */
export type PaidAt = Extract<Outflow, { type: 'transfer' }>;

/** What an address paid within a transaction, and to whom most of it went. */
type Paying = {
  readonly got: readonly Got[];
  readonly payments: readonly PaidAt[];
  readonly payout: Payout | null;
  /** How much of it was already assigned. */
  readonly claimedRaw: Map<Address, bigint>;
  sameTold: number;
};

/** Of the followed asset, on the trail's way. */
const toPaying = (
  { request: { chain }, asset, direction }: Following,
  rows: readonly TransactionRow[],
): ReadonlyMap<Address, Paying> => {
  const payments = rows
    .filter((row) => row.canonicalAsset === asset.canonicalAsset)
    .map(({ from, to, blockTime, blockNumber, txIndex, amountRaw }) => {
      const paid = { type: 'transfer' as const, blockTime, blockNumber, txIndex, amountRaw };
      return { ...paid, payer: direction.payerOf({ from, to }), to: direction.payeeOf({ from, to }) };
    })
    // Wrapping is no payment.
    .filter(({ payer, to }) => payer !== to && payer !== chain.wrappedNative && to !== chain.wrappedNative)
    // The order of rows within a transaction proves nothing.
    .sort(byName);
  const cameRaw = new Map<Address, bigint>();
  for (const { to, amountRaw } of payments) addRaw(cameRaw, to, amountRaw);
  return new Map(
    [...Map.groupBy(payments, ({ payer }) => payer)].map(([payer, paid]) => {
      const destinations = groupDestinations(paid, direction).filter((one) => one.type === 'wallet');
      const ofRaw = most(cameRaw.get(payer) ?? 0n, sumOf(paid));
      const main = destinations.find((one) => isMain(one, ofRaw));
      const otherPayouts = paid.filter(({ to }) => to !== main?.address);
      const payout = main ? { payer, to: main.address, partRaw: main.amountRaw, ofRaw, otherPayouts } : null;
      const got = destinations.map(({ address: to, amountRaw }) => ({ to, amountRaw }));
      return [payer, { got, payments: paid, payout, claimedRaw: new Map(), sameTold: 0 }];
    }),
  );
};

export type PaidBy = PaidAt & { readonly payer: Address };

const byName = (a: PaidBy, b: PaidBy): number =>
  largestFirst(a, b) || (`${a.payer} ${a.to}` < `${b.payer} ${b.to}` ? -1 : 1);
