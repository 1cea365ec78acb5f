import { z } from 'zod';
import { HISTORY_KINDS, HISTORY_PROOFS, HISTORY_SIDES } from '../../investigate/model/history.ts';
import { bodyError, stringField, wholeNumber } from '../body-fields.ts';
import { address, chainName, count, orNull, text } from '../contract/fields.ts';

const SECONDS = { min: 10, max: 85 };
const CONTINUATION_MAX = 500;
const SECONDS_TEXT = `a whole number from ${SECONDS.min} to ${SECONDS.max}`;

/** The longest that a call may take that has histories read. */
export const secondsField = wholeNumber(SECONDS.min, SECONDS.max, SECONDS_TEXT)
  .optional()
  .meta({ description: `Seconds. Default: ${SECONDS.max}. Shorter where a proxy ends calls sooner.` });
export const SECONDS_MAX = SECONDS.max;

/** In the body of every question that has histories read. */
export const continuationField = stringField(
  'As the last answer to the same body gave it: the call goes on from there and is not charged again.',
)
  .max(CONTINUATION_MAX, { error: 'is no continuation' })
  .optional();

export const readingFields = {
  budget: z
    .strictObject({ seconds: secondsField }, { error: bodyError })
    .optional()
    .meta({ description: 'How long the call may take.' }),
  continuation: continuationField,
};

/** A request, and how many milliseconds its call may take. */
export type Timed<Request> = Request & { readonly budgetMs: number };

/** Milliseconds that a call may take at most. */
export const budgetMsOf = (budget: { readonly seconds?: number | undefined } | undefined): number =>
  (budget?.seconds ?? SECONDS.max) * 1_000;

/** The text that continues a call. */
export const continuation = orNull(
  text('More could be read: send the same body with it within a day. The call goes on, charged once.'),
  'nothing is being read.',
).optional();

const place = (what: string, meaning: string) => orNull(count(what), meaning);
const asset = orNull(
  text('Only transfers of this asset: `native`, a mint or a contract.'),
  'transfers of all assets.',
);

/** How single histories were read that are not indexed by blocks. In `meta`. */
export const readingMeta = {
  read: z
    .array(
      z
        .object({
          chain: chainName,
          address: address('Whose history.'),
          from: count('First block or slot.'),
          to: count('Last block or slot.'),
          asset,
          kinds: z.array(z.enum(HISTORY_KINDS)).meta({ description: 'Kinds of transactions.' }),
          source: text('Who listed them.'),
          proof: z.enum(HISTORY_PROOFS).meta({
            description:
              'proved: nonces or balances leave no room for more. listed: by the word of the source. partial: something is missing.',
          }),
          reason: orNull(text('Why it is partial.'), 'it is not.'),
          transactions: count('Transactions that moved something.'),
        })
        .meta({ id: 'ReadWindow', description: 'A part of a history that was read from its chain.' }),
    )
    .optional()
    .meta({ description: 'Histories read one by one, where blocks are not indexed.' }),
  missing: z
    .array(
      z
        .object({
          chain: chainName,
          address: address('Whose history.'),
          from: place('First block or slot.', 'the first of the chain.'),
          to: place('Last block or slot.', 'the newest.'),
          asset,
          side: z.enum(HISTORY_SIDES).meta({ description: 'Which transactions.' }),
          seconds: count('Estimate until it is read.'),
        })
        .meta({ id: 'MissingHistory', description: 'A history that is being read.' }),
    )
    .optional()
    .meta({ description: 'Histories that were not read in time.' }),
};
