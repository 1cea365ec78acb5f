import type { Address } from '../model/address.ts';
import type { Label } from '../model/label.ts';
import type { Service } from '../model/trace-reader.ts';
import type { TransactionRow } from '../model/transfer-reader.ts';
import type { Ask } from './ask.ts';
import type { Transfer } from './profile.ts';
import { LABELLED_MAX, SIBLING_ROWS_MAX, SIBLING_TRANSACTIONS_MAX } from './rules.ts';
import { largestOf, sumUsd } from './sum-sides.ts';

export type Around = {
  readonly labels: ReadonlyMap<Address, Label>;
  readonly services: ReadonlyMap<Address, Service>;
  /** Hand-overs of a sample of the transactions that paid the wallet. */
  readonly siblings: readonly TransactionRow[];
};

/** Who the counterparties are, the largest of them, and what else moved where the wallet was paid. One round. */
export const readAround = async (
  transfers: readonly Transfer[],
  { reader, limits, attempt }: Ask,
): Promise<Around> => {
  const addresses = largestParties(transfers);
  const paid = samplePayments(transfers);
  const [labels, services, siblings] = await Promise.all([
    reader.labels({ ...limits(), addresses }),
    reader.services({ ...limits(), addresses }),
    attempt('transactions', () =>
      reader.wholeTransactions({ ...limits(), positions: paid, limit: SIBLING_ROWS_MAX }),
    ),
  ]);
  return { labels, services, siblings: siblings?.rows ?? [] };
};

const largestParties = (transfers: readonly Transfer[]): Address[] => {
  const parties = [...Map.groupBy(transfers, ({ counterparty }) => counterparty)];
  if (parties.length <= LABELLED_MAX) return parties.map(([address]) => address);
  return parties
    .map(([address, of]) => ({ address, usd: sumUsd(of) ?? 0 }))
    .toSorted((a, b) => b.usd - a.usd)
    .slice(0, LABELLED_MAX)
    .map(({ address }) => address);
};

/** The largest payment of each payer, the largest of all first: dust of strangers must not crowd out what matters. */
const samplePayments = (transfers: readonly Transfer[]): readonly Transfer[] => {
  const paid = transfers.filter(({ direction, isSwap }) => direction === 'in' && !isSwap);
  return [...Map.groupBy(paid, ({ counterparty }) => counterparty).values()]
    .flatMap((of) => largestOf(of) ?? [])
    .toSorted((a, b) => (b.usd ?? 0) - (a.usd ?? 0))
    .slice(0, SIBLING_TRANSACTIONS_MAX);
};
