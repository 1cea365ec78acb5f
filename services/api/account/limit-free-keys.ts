import { isOfWallet } from '../../accounts/account-of-wallet.ts';
import type { Directory } from '../../accounts/directory.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import { type CallerAddress, networkAround } from '../caller-address.ts';
import { ApiError } from '../errors.ts';
import { createTurns } from './turns.ts';

/**
 * How many keys a day accounts without credits may get, all together. Wallets are free to make, and each key stays
 * in the log and takes some 1.3 kB in every process.
 */
const FREE_KEYS_A_DAY = 200;
const DAY_MS = 86_400_000;
/** How many of them one network may get: nobody uses up the keys of all. */
const OF_A_NETWORK = { burst: 20, everyMs: DAY_MS / 20 };

type Dependencies = {
  readonly directory: Directory;
  readonly ledger: Pick<Ledger, 'balance'>;
  readonly clock: Clock;
};

/** Issues a key if the daily limits allow it. Throws `ApiError` `too_many_free_keys`, and what `issue` throws. */
export const createFreeKeyLimit = ({ directory, ledger, clock }: Dependencies) => {
  const inTurn = createTurns();
  const ofNetworks = createRateLimit(OF_A_NETWORK, clock);

  const isFree = (accountId: string): boolean =>
    isOfWallet(accountId) && !ledger.balance(`account:${accountId}`).everHadCredits;

  const checkRoom = (): void => {
    const nowUnixMs = clock.nowUnixMs();
    const free = directory.keysSince(nowUnixMs - DAY_MS).filter(({ accountId }) => isFree(accountId));
    const inTheWay = free.at(-FREE_KEYS_A_DAY);
    if (inTheWay === undefined) return;
    const seconds = Math.ceil((inTheWay.createdUnixMs + DAY_MS - nowUnixMs) / 1_000);
    throw tooMany(seconds);
  };

  return <T>(accountId: string, from: CallerAddress, issue: () => Promise<T>): Promise<T> => {
    if (!isFree(accountId)) return issue();
    const network = networkAround(from.name);
    return inTurn('free', async () => {
      checkRoom();
      const seconds = from.isLocal ? 0 : ofNetworks.take(network);
      if (seconds > 0) throw tooMany(seconds);
      try {
        return await issue();
      } catch (error) {
        if (!from.isLocal) ofNetworks.giveBack(network);
        throw error;
      }
    });
  };
};

const tooMany = (seconds: number): ApiError =>
  new ApiError('too_many_free_keys', { headers: { 'Retry-After': String(seconds) } });
