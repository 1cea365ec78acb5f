import { isOfWallet } from '../../accounts/account-of-wallet.ts';
import type { Directory } from '../../accounts/directory.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../errors.ts';
import { createTurns } from './turns.ts';

/**
 * How many keys a day accounts without credits may get, all together. Wallets are free to make, and each key stays
 * in the log and takes some 1.3 kB in every process.
 */
const FREE_KEYS_A_DAY = 200;
const DAY_MS = 86_400_000;

type Dependencies = {
  readonly directory: Directory;
  readonly ledger: Pick<Ledger, 'balance'>;
  readonly clock: Clock;
};

/** Issues a key if the daily limit allows it. Throws `ApiError` `too_many_free_keys`, and what `issue` throws. */
export const createFreeKeyLimit = ({ directory, ledger, clock }: Dependencies) => {
  const inTurn = createTurns();

  const isFree = (accountId: string): boolean =>
    isOfWallet(accountId) && !ledger.balance(`account:${accountId}`).everHadCredits;

  const checkRoom = (): void => {
    const nowUnixMs = clock.nowUnixMs();
    const free = directory.keysSince(nowUnixMs - DAY_MS).filter(({ accountId }) => isFree(accountId));
    const inTheWay = free.at(-FREE_KEYS_A_DAY);
    if (inTheWay === undefined) return;
    const seconds = Math.ceil((inTheWay.createdUnixMs + DAY_MS - nowUnixMs) / 1_000);
    throw new ApiError('too_many_free_keys', { headers: { 'Retry-After': String(seconds) } });
  };

  return <T>(accountId: string, issue: () => Promise<T>): Promise<T> => {
    if (!isFree(accountId)) return issue();
    return inTurn('free', () => {
      checkRoom();
      return issue();
    });
  };
};
