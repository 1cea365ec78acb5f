import { largestFirst } from '../../model/amount.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { Arrival } from '../payments/outgoing.ts';
import { SALE_CARRIERS_MAX } from '../rules.ts';
import type { FoundHop } from '../trail.ts';

/** The transactions that say what a hop was: the one that it is shown by, and the largest others. */
export const pickCarriers = ({
  signature,
  carriers,
}: Pick<FoundHop, 'signature' | 'carriers'>): readonly Arrival[] => {
  const sums = new Map<string, Arrival>([[transactionKey(signature), { ...signature, amountRaw: 0n }]]);
  for (const carrier of carriers) {
    const amountRaw = (sums.get(transactionKey(carrier))?.amountRaw ?? 0n) + carrier.amountRaw;
    sums.set(transactionKey(carrier), { ...carrier, amountRaw });
  }
  const [shown, ...others] = [...sums.values()];
  return [...(shown ? [shown] : []), ...others.sort(largestFirst)].slice(0, SALE_CARRIERS_MAX);
};
