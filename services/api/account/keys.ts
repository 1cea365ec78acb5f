import { z } from 'zod';
import type { Ledger } from '../../credits/ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';
import { validate } from '../validate.ts';
import { createFreeKeyLimit } from './limit-free-keys.ts';
import { type AccountArea, admitSession } from './sign-in.ts';
import { createTurns } from './turns.ts';

/** The maximum number of valid keys of one account. */
const KEYS_MAX = 20;
/**
 * The maximum number of keys an account may ever have: each stays in the log and in every process, revoked or not.
 */
const KEYS_EVER_MAX = 100;
const SPENT = 'The account has been given as many keys as it ever may.';
const NAME = 'must be a name of 1 to 100 characters';
export const keyBody = z.strictObject({
  name: z
    .string({ error: NAME })
    .trim()
    .min(1, NAME)
    .max(100, NAME)
    .meta({ description: 'What you will know the key by: 1 to 100 characters.' }),
});

type Dependencies = {
  readonly area: AccountArea;
  /** Whether calls need no key. */
  readonly isOpen: () => boolean;
  readonly ledger: Pick<Ledger, 'balance'>;
  readonly clock: Clock;
};

/** POST /account/keys and DELETE /account/keys/{id}. */
export const createKeyHandlers = ({
  area,
  isOpen,
  ledger,
  clock,
}: Dependencies): { issue: ApiMiddleware; revoke: ApiMiddleware } => {
  const { accounts } = area;
  const { directory } = accounts;
  const limitFree = createFreeKeyLimit({ directory, ledger, clock });
  const inTurn = createTurns();

  const checkRoom = (accountId: string): void => {
    const keys = directory.keysOf(accountId);
    if (keys.length >= KEYS_EVER_MAX) throw new ApiError('too_many_keys', { sentence: SPENT });
    const open = keys.filter((key) => key.revokedUnixMs === null);
    if (open.length >= KEYS_MAX) throw new ApiError('too_many_keys');
  };

  return {
    /** The only answer that ever holds the key. */
    issue: async (ctx) => {
      const { accountId, address } = admitSession(ctx, area);
      const { name } = validate(keyBody, ctx.state.body);
      // The first account ends open access for everybody. Only the operator may do that, not any wallet.
      if (isOpen()) throw new ApiError('no_keys_needed');
      const { keyId, key } = await inTurn(accountId, async () => {
        checkRoom(accountId);
        return limitFree(accountId, ctx.state.from, async () => {
          await accounts.open(address, accountId);
          return accounts.issueKey(accountId, name);
        });
      });
      ctx.status = 201;
      ctx.body = { id: keyId, name, key };
    },
    /** The key stops working on every server within a second. */
    revoke: async (ctx) => {
      const { accountId } = admitSession(ctx, area);
      const { id = '' }: { id?: string } = ctx.params;
      // Another account's key is reported as unknown.
      if (directory.key(id)?.accountId !== accountId) throw new ApiError('not_found');
      await inTurn(accountId, () => accounts.revokeKey(id));
      ctx.status = 204;
    },
  };
};
