import type { Entry } from '../../model/profile-reader.ts';
import { type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import type { Transfer } from '../profile.ts';
import { behave, type FindBehaviour, type Observed } from './observed.ts';

/** A smaller remainder after a theft counts as change. */
const SHARE_MIN = 0.9;
const USD_MIN = 20;

/**
 * Somebody took nearly all of the wallet's balance of an asset: either in a transaction that the wallet did
 * not send, or by a payment to an address that lists tie to thefts. With only part of the history the balance
 * is unknown, so nothing is reported.
 */
export const findEmptied: FindBehaviour = (observed) => {
  if (!observed.isComplete) return null;
  const taken = observed.payments.filter(
    (each) => each.direction === 'out' && (each.usd ?? 0) >= USD_MIN && isTaken(each, observed),
  );
  const emptying = findEmptying(observed);
  const emptied = taken.filter((each) => emptying.has(placeOf(each)));
  const [one] = emptied;
  if (one === undefined) return null;
  const detail = `Nearly all it held was taken in a transaction to ${one.counterparty}.`;
  return behave('emptied', { confidence: 0.7, severity: 'info', detail }, emptied);
};

const isTaken = ({ isSender, counterparty }: Transfer, { labels, services, label }: Observed): boolean =>
  labels.get(counterparty)?.kind === 'hack' ||
  // An exchange's sweep is not sent by the swept address either.
  (!isSender && !services.has(counterparty) && !labels.has(counterparty) && label === null);

type Place = Pick<Entry, 'canonicalAsset'> & TransactionPosition;
const placeOf = (place: Place): string => `${place.canonicalAsset} ${transactionKey(place)}`;

/**
 * Transactions that left almost nothing of an asset. Computed in one pass, because a pool has thousands of
 * rows that others caused.
 */
const findEmptying = ({ entries }: Observed): ReadonlySet<string> => {
  const heldRaw = new Map<string, bigint>();
  const emptying = new Set<string>();
  for (const rows of Map.groupBy(entries.toReversed(), placeOf).values()) {
    const [first] = rows;
    if (first === undefined) continue;
    const before = heldRaw.get(first.canonicalAsset) ?? 0n;
    const remainingRaw = rows.reduce(
      (sum, { direction, amountRaw }) => (direction === 'in' ? sum - amountRaw : sum + amountRaw),
      0n,
    );
    heldRaw.set(first.canonicalAsset, before - remainingRaw);
    if (before > 0n && remainingRaw * 100n >= before * BigInt(SHARE_MIN * 100)) emptying.add(placeOf(first));
  }
  return emptying;
};
