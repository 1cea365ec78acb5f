import { z } from 'zod';
import { orNull, text, unixSeconds } from '../contract/fields.ts';

export const challengeAnswer = z
  .object({
    message: z.string().meta({ description: 'The text that the wallet signs, unchanged.' }),
    expires_at: unixSeconds('Until when it can be signed in with.'),
  })
  .meta({ id: 'Challenge', description: 'What a wallet signs to sign in.' });

export const sessionAnswer = z
  .object({
    account_id: text('Identifier of the account.'),
    expires_at: unixSeconds('When the session ends.'),
  })
  .meta({ id: 'Session', description: 'The session itself is a cookie.' });

export const keyAnswer = z
  .object({
    id: text('Identifier of the key, for revoking it.'),
    name: text('What you called it.'),
    key: z.string().meta({ description: 'The key. This answer is the only one that ever shows it.' }),
  })
  .meta({ id: 'Key', description: 'A new key.' });

export const packAnswer = z
  .object({
    credits_bought: z.int().meta({ description: 'Credits that were bought.' }),
    pack_credits: orNull(
      z.int().meta({ description: 'Credits that the account has now.' }),
      'the ledger cannot say it yet.',
    ),
  })
  .meta({ id: 'Pack', description: 'Credits that were bought.' });
