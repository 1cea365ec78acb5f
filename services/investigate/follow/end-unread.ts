import type { Address } from '../model/address.ts';
import type { Ended } from './decide-hop.ts';
import { BudgetSpentError, isUnread, refuseWithoutAnswer } from './follow-reader.ts';
import type { FoundEnd } from './trail.ts';

/** Where reading failed. */
export type UnreadPlace = {
  readonly wallet: Address;
  /** Nothing was found before it on the way. */
  readonly isFirst: boolean;
  /** What was found before did not stand. */
  readonly isRetry: boolean;
};

export const endUnread = ({ wallet: address, isFirst, isRetry }: UnreadPlace, error: unknown): Ended => {
  const isSpent = error instanceof BudgetSpentError;
  // Who walks again has read it before: that the time did not do for it is an answer.
  if (isFirst && !(isRetry && isSpent)) return refuseWithoutAnswer(error);
  if (isSpent) return unread({ reason: 'max_hops', address, why: { type: 'time_used' }, caveats: [] });
  if (isUnread(error))
    return unread({
      reason: 'no_data',
      because: 'failed',
      address,
      why: { type: 'unread' },
      caveats: [],
    });
  throw error;
};

const unread = (end: FoundEnd): Ended => ({ type: 'end', end, isComplete: false, paysAtOnce: false });
