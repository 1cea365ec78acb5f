import { z } from 'zod';
import { unixSeconds } from '../contract/fields.ts';

export const challengeAnswer = z
  .object({
    message: z.string().meta({ description: 'The text that the wallet signs, unchanged.' }),
    expires_at: unixSeconds('Until when it can be signed in with.'),
  })
  .meta({ id: 'Challenge' });

export const sessionAnswer = z
  .object({ account_id: z.string(), expires_at: unixSeconds('When the session ends.') })
  .meta({ id: 'Session', description: 'The session itself is a cookie.' });

export const keyAnswer = z
  .object({
    id: z.string(),
    name: z.string(),
    key: z.string().meta({ description: 'The key. This answer is the only one that ever shows it.' }),
  })
  .meta({ id: 'Key' });

export const packAnswer = z
  .object({
    credits_bought: z.int(),
    pack_credits: z
      .int()
      .nullable()
      .meta({ description: 'Credits that the account has now; null where the ledger cannot say it yet.' }),
  })
  .meta({ id: 'Pack' });
