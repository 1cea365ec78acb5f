import { transactionKey } from '../../model/transfer-reader.ts';
import type { Transfer } from '../profile.ts';
import { behave, type FindBehaviour, type Observed } from './observed.ts';

/** What is left after a theft is change. */
const SHARE_MIN = 0.9;
const USD_MIN = 20;

/**
 * Somebody took nearly all it had of an asset: in a transaction that it did not send itself, or by a payment to an address that
 * lists call a thief's.
 */
export const findEmptied: FindBehaviour = (observed) => {
  const taken = observed.payments.filter(
    (each) => each.direction === 'out' && (each.usd ?? 0) >= USD_MIN && isTaken(each, observed),
  );
  const emptied = taken.filter((each) => emptiedBy(each, observed));
  const [one] = emptied;
  if (one === undefined) return null;
  const detail = `Nearly all it held was taken in a transaction to ${one.counterparty}.`;
  return behave('emptied', { confidence: 0.7, severity: 'info', detail }, emptied);
};

const isTaken = ({ isSender, counterparty }: Transfer, { labels, services, label }: Observed): boolean =>
  labels.get(counterparty)?.kind === 'hack' ||
  // Sweeps of an exchange are not sent by the address that is swept, either.
  (!isSender && !services.has(counterparty) && !labels.has(counterparty) && label === null);

const emptiedBy = (taken: Transfer, { entries }: Observed): boolean => {
  const key = transactionKey(taken);
  let heldRaw = 0n;
  let leftRaw = 0n;
  for (const { family, direction, amountRaw, ...at } of entries.toReversed()) {
    if (family !== taken.family) continue;
    const signed = direction === 'in' ? amountRaw : -amountRaw;
    if (transactionKey(at) === key) leftRaw -= signed;
    else if (at.blockTime <= taken.blockTime && leftRaw === 0n) heldRaw += signed;
  }
  return heldRaw > 0n && leftRaw * 100n >= heldRaw * BigInt(SHARE_MIN * 100);
};
