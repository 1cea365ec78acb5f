import { z } from 'zod';
import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';
import { validate } from '../validate.ts';
import { type AccountArea, admitSession } from './sign-in.ts';

/** Keys of one account that open it at the same time. */
const KEYS_MAX = 20;
/** Keys of one account ever: each stays in the log and in every process, revoked or not. */
const KEYS_EVER_MAX = 100;
const SPENT = 'The account has been given as many keys as it ever may.';
const NAME = 'must be a name of 1 to 100 characters';
const schema = z.strictObject({ name: z.string({ error: NAME }).trim().min(1, NAME).max(100, NAME) });

/** POST /account/keys: the only answer that ever holds the key. */
export const createIssueKeyHandler =
  (area: AccountArea): ApiMiddleware =>
  async (ctx) => {
    const { accountId, address } = admitSession(ctx, area);
    const { name } = validate(schema, ctx.state.body);
    const { accounts } = area;
    const keys = accounts.directory.keysOf(accountId);
    if (keys.length >= KEYS_EVER_MAX) throw new ApiError('too_many_keys', { sentence: SPENT });
    const open = keys.filter((key) => key.revokedUnixMs === null);
    if (open.length >= KEYS_MAX) throw new ApiError('too_many_keys');
    await accounts.open(address, accountId);
    const { keyId, key } = await accounts.issueKey(accountId, name);
    ctx.status = 201;
    ctx.body = { id: keyId, name, key };
  };

/** DELETE /account/keys/{id}: it opens nothing any more, within a second on every server. */
export const createRevokeKeyHandler =
  (area: AccountArea): ApiMiddleware =>
  async (ctx) => {
    const { accountId } = admitSession(ctx, area);
    const { id = '' } = ctx.state.named;
    // Of another account is as good as not there.
    if (area.accounts.directory.key(id)?.accountId !== accountId) throw new ApiError('not_found');
    await area.accounts.revokeKey(id);
    ctx.status = 204;
  };
