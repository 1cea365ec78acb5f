import type { Address } from '../../model/address.ts';
import { addRaw, least, most } from '../../model/amount.ts';
import { eachInTurns, groupInTurns } from '../../model/give-way.ts';
import { sortInTurns } from '../../model/sort-in-turns.ts';
import { type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import type { Direction } from '../direction.ts';
import { type Inflow, partOf } from '../payments/inflow.ts';
import type { FlowPayment, Traced } from './flow-graph.ts';

/** What was taken at a start, and when. */
export type Deposit = Inflow & { readonly wallet: Address };

type Tracing = {
  readonly direction: Direction;
  readonly minProbability: number;
  /** Starts of which all that left was taken, except what payments had brought them. */
  readonly unlimited: ReadonlySet<Address>;
};

export type TracedPayments = {
  /** At all starts. */
  readonly takenRaw: bigint;
  /** How much of the traced money these payments carried. */
  readonly carried: (payments: readonly FlowPayment[]) => bigint;
  readonly of: (wallet: Address) => Traced;
};

/** One of both. */
type Event = { readonly deposit?: Deposit; readonly payment?: FlowPayment; readonly at: TransactionPosition };

/**
 * Divides the taken money among the payments in order of time. Each payment carries amount × probability, and at most what its payer
 * has received by then. Where payers added money of their own, it carries only the traced part of that, as `traceAmounts` says of a
 * trail. So money is never lost, doubled or created, even where flows join or go round. What an unfollowed payment carried has left
 * its payer and reaches nobody.
 */
export const tracePayments = async (
  deposits: readonly Deposit[],
  payments: readonly FlowPayment[],
  { direction, minProbability, unlimited }: Tracing,
): Promise<TracedPayments> => {
  const arrivedRaw = new Map<Address, bigint>();
  const leftRaw = new Map<Address, bigint>();
  const carriedRaw = new Map<FlowPayment, bigint>();
  /** What wallets still have of the payments that brought the money, with what payers added to it. */
  const mixedRaw = new Map<Address, bigint>();
  const restOf = (wallet: Address): bigint => (arrivedRaw.get(wallet) ?? 0n) - (leftRaw.get(wallet) ?? 0n);
  const payeeOf = (payment: FlowPayment): Address | null =>
    payment.type === 'transfer' && payment.probability >= minProbability ? payment.to : null;
  let takenRaw = 0n;
  const take = (wallet: Address, amountRaw: bigint): void => {
    addRaw(arrivedRaw, wallet, amountRaw);
    addRaw(mixedRaw, wallet, amountRaw);
    takenRaw += amountRaw;
  };
  /** Deposits of a transaction, less what its payments brought there: the request may name what one start paid another. */
  const due = new Map<Address, bigint>();
  const takeDue = (wallet: Address): void => {
    take(wallet, due.get(wallet) ?? 0n);
    due.delete(wallet);
  };
  const pay = (payment: FlowPayment): void => {
    takeDue(payment.from);
    const likelyRaw = partOf(payment.amountRaw, payment.probability);
    if (unlimited.has(payment.from)) take(payment.from, most(0n, likelyRaw - restOf(payment.from)));
    const ofRaw = mixedRaw.get(payment.from) ?? 0n;
    const outRaw = least(likelyRaw, ofRaw);
    const rest = restOf(payment.from);
    // All that such a start pays was taken there, whatever payers added to what reached it.
    const isAllTraced = ofRaw === 0n || unlimited.has(payment.from);
    const raw = isAllTraced ? outRaw : least((outRaw * rest) / ofRaw, outRaw);
    carriedRaw.set(payment, raw);
    addRaw(leftRaw, payment.from, raw);
    addRaw(mixedRaw, payment.from, -outRaw);
    const payee = payeeOf(payment);
    if (payee === null) return;
    addRaw(arrivedRaw, payee, raw);
    // What carried none of it says nothing of what else the payee has.
    if (raw > 0n) addRaw(mixedRaw, payee, likelyRaw);
    addRaw(due, payee, -least(raw, due.get(payee) ?? 0n));
  };
  const unordered: Event[] = [
    ...deposits.map((deposit) => ({ at: deposit, deposit })),
    ...payments.map((payment) => ({ at: payment, payment })),
  ];
  const events = await sortInTurns(unordered, (a, b) => direction.compare(a.at, b.at));
  // Deposits of different times may have no transaction of their own.
  const keyOf = ({ at }: Event): string => `${at.blockTime} ${transactionKey(at)}`;
  await eachInTurns((await groupInTurns(events, keyOf)).values(), (ofTransaction) => {
    for (const { deposit } of ofTransaction) if (deposit) addRaw(due, deposit.wallet, deposit.amountRaw);
    let left = ofTransaction.flatMap(({ payment }) => payment ?? []).sort(inOrder);
    // Within a transaction a wallet pays when all has arrived, whatever the order of the rows; in a cycle, when any has.
    while (left.length > 0) {
      const awaiting = new Set(left.map(payeeOf));
      const whenReady = [
        ({ from }: FlowPayment) => !awaiting.has(from),
        ({ from }: FlowPayment) => unlimited.has(from) || restOf(from) + (due.get(from) ?? 0n) > 0n,
      ];
      const isReady = whenReady.find((is) => left.some(is)) ?? (() => true);
      const ready = new Set(left.filter(isReady));
      ready.forEach(pay);
      left = left.filter((payment) => !ready.has(payment));
    }
    for (const wallet of due.keys()) takeDue(wallet);
  });
  return {
    takenRaw,
    carried: (of) => of.reduce((sum, payment) => sum + (carriedRaw.get(payment) ?? 0n), 0n),
    of: (wallet) => ({
      ...{ arrivedRaw: arrivedRaw.get(wallet) ?? 0n, leftRaw: leftRaw.get(wallet) ?? 0n },
      restRaw: restOf(wallet),
    }),
  };
};

/** More probable and larger first, then by name, so that the order of reading does not matter. */
const inOrder = (a: FlowPayment, b: FlowPayment): number =>
  Number(a.isBeyond) - Number(b.isBeyond) ||
  b.probability - a.probability ||
  Number(b.amountRaw > a.amountRaw) - Number(b.amountRaw < a.amountRaw) ||
  (nameOf(a) < nameOf(b) ? -1 : 1);

const nameOf = (payment: FlowPayment): string =>
  `${payment.from} ${payment.type === 'transfer' ? payment.to : ''}`;
