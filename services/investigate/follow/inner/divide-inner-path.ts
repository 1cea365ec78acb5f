import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { Passed as Contract } from '../trail.ts';
import { contractsOf } from './find-inner-path.ts';
import { paymentKey } from './refunds.ts';
import type { InnerPaths } from './resolve-payments.ts';

/** The part of a payment that one final recipient got. The parts add up to the payment. */
export type Part = {
  readonly to: Address;
  readonly amountRaw: bigint;
  /** Contracts that it went through, in order; mostly none. */
  readonly through: readonly Contract[];
  /** `to` is a contract that kept it within the transaction. */
  readonly isKept: boolean;
};

/** For each path: its recipient, the other payouts that its contracts made of the path's money, and what they kept. */
export const divideInnerPaths = (
  wallet: Address,
  { paths, labels }: InnerPaths,
): readonly (readonly Part[])[] => {
  const told = new Set(
    paths.flatMap(({ payment, passed }) =>
      passed.map(({ payout: { payer, to } }) => paymentKey(payment, payer, to)),
    ),
  );
  return paths.map((path) => {
    const { reached, passed } = path;
    if (reached.type === 'swap') return [];
    const through = contractsOf(path).map((address) => ({ address, label: labels.get(address) ?? null }));
    const kept = passed.flatMap(({ payout: { payer, otherPayouts, ofRaw }, broughtRaw, passedRaw }, at) => {
      const others = otherPayouts
        .filter((paid) => paid.to !== wallet && !told.has(paymentKey(paid, payer, paid.to)))
        .map(({ to, amountRaw }) => ({ to, amountRaw: (amountRaw * broughtRaw) / ofRaw }));
      const keptRaw = broughtRaw - passedRaw - sumOf(others);
      return [
        ...others.map((paid) => ({ ...paid, through: through.slice(0, at + 1), isKept: false })),
        { to: payer, amountRaw: keptRaw, through: through.slice(0, at), isKept: true },
      ];
    });
    const { to, amountRaw } = reached;
    return [{ to, amountRaw, through, isKept: false }, ...kept].filter((part) => part.amountRaw > 0n);
  });
};
