import type { Address } from '../../model/address.ts';
import { isService, type Label } from '../../model/label.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { WalkedRound, WalkedWay } from '../payments/find-rounds.ts';
import type { Outgoing } from '../payments/outgoing.ts';
import { paymentKey, placesOf, type Returned } from '../payments/without-returned.ts';
import { PASSED_MAX } from '../rules.ts';
import type { Passing, TellPayout } from './tell-payout.ts';

/** A payment, and the one that it comes to with those to whom contracts passed it on; mostly itself. */
export type Way = {
  readonly payment: Outgoing;
  readonly reached: Outgoing;
  readonly passed: readonly Passing[];
  /** It came back by this way. */
  readonly round?: WalkedWay;
};

/** null where nothing came back of which that is not known yet. */
export const findRound = (ways: readonly Way[], wallet: Address, returned: Returned): WalkedRound | null => {
  const told = placesOf(returned);
  const rounds = ways.flatMap(({ payment, round }) =>
    round === undefined || told.has(transactionKey(payment)) ? [] : [{ payment, round }],
  );
  const [first] = rounds;
  return first === undefined ? null : { wallet, from: first.payment, ways: rounds.map(({ round }) => round) };
};

export const toDirect = (payment: Outgoing): Way => ({ payment, reached: payment, passed: [] });

export const throughOf = ({ passed }: Way): Address[] => passed.map(({ payout }) => payout.payer);

type Walking = {
  readonly wallet: Address;
  /** On the trail. */
  readonly visited: ReadonlySet<Address>;
  /** Of whom was met so far. */
  readonly labels: ReadonlyMap<Address, Label>;
  /** Transactions that brought the money. */
  readonly places: ReadonlySet<string>;
  readonly tell: TellPayout;
  /** As much as is not taken off a way yet. */
  readonly returned: Map<string, bigint>;
};

/** What went round is where it was sent: it never left, or is told as a loop. Those who brought it pay nobody else with it. */
export const findWay = (
  payment: Outgoing,
  { wallet, visited, places, tell, labels, returned }: Walking,
): Way => {
  if (payment.type === 'swap') return toDirect(payment);
  const passed: Passing[] = [];
  const met = new Set([wallet]);
  const isBroughtHere = places.has(transactionKey(payment));
  let { to, amountRaw } = payment;
  for (;;) {
    if (to === wallet)
      return { ...toDirect(payment), round: wayBack(payment, { wallet, passed, amountRaw }) };
    if (met.has(to) || passed.length > PASSED_MAX) return toDirect(payment);
    met.add(to);
    if ((isBroughtHere && visited.has(to)) || isService(labels.get(to))) break;
    const passing = tell({ at: payment, payer: to, amountRaw });
    if (passing === null) break;
    passed.push(passing);
    amountRaw = passing.passedRaw;
    to = passing.payout.to;
  }
  if (passed.length === 0) return toDirect(payment);
  const key = paymentKey(payment, wallet, to);
  const backRaw = returned.get(key) ?? 0n;
  if (backRaw > 0n) returned.set(key, backRaw > amountRaw ? backRaw - amountRaw : 0n);
  if (backRaw >= amountRaw) return toDirect(payment);
  return { payment, reached: { ...payment, to, amountRaw: amountRaw - backRaw }, passed };
};

type CameBack = { readonly wallet: Address; readonly amountRaw: bigint } & Pick<Way, 'passed'>;

const wayBack = (payment: Outgoing, { wallet, passed, amountRaw }: CameBack): WalkedWay => {
  const payers = [wallet, ...passed.map(({ payout }) => payout.payer)];
  const { blockTime, blockNumber, txIndex } = payment;
  return {
    steps: payers.map((payer, at) => [payer, payers[at + 1] ?? wallet] as const),
    carried: [{ blockTime, blockNumber, txIndex, amountRaw }],
  };
};
