import type { Address } from '../model/address.ts';
import type { Label } from '../model/label.ts';
import type { Entry } from '../model/profile-reader.ts';
import { answersByKey } from '../model/query.ts';
import type { Service } from '../model/trace-reader.ts';
import {
  comparePlaces,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../model/transfer-reader.ts';
import type { Transfer } from './profile.ts';
import type { QueryContext } from './query-context.ts';
import {
  LABELLED_MAX,
  SENT_TRANSACTIONS_MAX,
  SIBLING_ROWS_MAX,
  SIBLING_TRANSACTIONS_MAX,
  SIBLINGS_EACH_MAX,
} from './rules.ts';
import { sumUsd } from './sum-sides.ts';

export type Around = {
  readonly labels: ReadonlyMap<Address, Label>;
  readonly services: ReadonlyMap<Address, Service>;
  /**
   * All transfers of a sample of the transactions that paid the wallet, and of those that it sent for others.
   */
  readonly siblings: readonly TransactionRow[];
};

/**
 * Reads the largest counterparties' labels, and what else moved in the transactions that paid the wallet or
 * whose fee it paid.
 */
export const readAround = async (
  transfers: readonly Transfer[],
  entries: readonly Entry[],
  context: QueryContext,
): Promise<Around> => {
  const { reader, onChain, attempt } = context;
  const addresses = largestParties(transfers);
  // Two transfers of one transaction are one transaction, whose rows count once.
  const sampled = [...samplePayments(transfers), ...sampleSent(transfers, entries)];
  const positions = [...new Map(sampled.map((place) => [transactionKey(place), place])).values()];
  const [labels, services, rows] = await Promise.all([
    answersByKey(reader.labels, onChain, addresses),
    answersByKey(reader.services, onChain, addresses),
    attempt('transactions', () =>
      reader.wholeTransactions({ ...onChain, limit: SIBLING_ROWS_MAX }, positions.sort(comparePlaces)),
    ),
  ]);
  const siblings = rows?.flatMap((of) => of ?? []) ?? [];
  return {
    labels,
    services: new Map([...(await readFar(siblings, addresses, context)), ...services]),
    siblings,
  };
};

/** Services that took part in the transactions in which the wallet was only the sender. */
const readFar = async (
  siblings: readonly TransactionRow[],
  known: readonly Address[],
  { reader, onChain, attempt }: QueryContext,
): Promise<ReadonlyMap<Address, Service>> => {
  const near = new Set(known);
  const far = [...new Set(siblings.flatMap(({ from, to }) => [from, to]))].filter((each) => !near.has(each));
  if (far.length === 0) return new Map();
  const found = await attempt('transactions', () =>
    answersByKey(reader.services, onChain, far.slice(0, LABELLED_MAX)),
  );
  return found ?? new Map();
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

/**
 * The largest payments of each payer, the largest of all first, so that dust does not crowd out what matters.
 * A contract pays for many people, so each payer has several payments.
 */
const samplePayments = (transfers: readonly Transfer[]): readonly Transfer[] => {
  const paid = transfers.filter(({ direction, isSwap }) => direction === 'in' && !isSwap);
  const byUsd = (a: Transfer, b: Transfer): number => (b.usd ?? 0) - (a.usd ?? 0);
  return [...Map.groupBy(paid, ({ counterparty }) => counterparty).values()]
    .flatMap((of) =>
      of
        .toSorted(byUsd)
        .slice(0, SIBLINGS_EACH_MAX)
        .map((transfer, rank) => ({ transfer, rank })),
    )
    .toSorted((a, b) => Number(a.rank > 0) - Number(b.rank > 0) || byUsd(a.transfer, b.transfer))
    .slice(0, SIBLING_TRANSACTIONS_MAX)
    .map(({ transfer }) => transfer);
};

/** The newest transactions in which the wallet only paid the fee. */
const sampleSent = (
  transfers: readonly Transfer[],
  entries: readonly Entry[],
): readonly TransactionPosition[] => {
  const own = new Set(transfers.map(transactionKey));
  const sent = entries.filter((entry) => entry.isSender && !own.has(transactionKey(entry)));
  return [...new Map(sent.map((entry) => [transactionKey(entry), entry])).values()].slice(
    0,
    SENT_TRANSACTIONS_MAX,
  );
};
