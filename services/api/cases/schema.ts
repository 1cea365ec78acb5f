import { z } from 'zod';
import { CHAINS } from '../../investigate/model/chain.ts';
import { bodyError, needs, wholeNumber } from '../body-fields.ts';
import { flowGraphAnswer } from '../follow/graph-answer.ts';
import { presentExplorer } from '../present-basis.ts';

const NAME_MAX = 200;
const NOTE_MAX = 500;
/** Longer than a chain, an address and an asset. */
const KEY_MAX = 400;
const LIST_MAX = 1_000;

const textUpTo = (max: number) => {
  const error = needs(`text of at most ${max} characters`);
  return z.string({ error }).max(max, { error });
};
const card = textUpTo(KEY_MAX);
const chance = z
  .number({ error: needs('a number from 0 to 1') })
  .min(0)
  .max(1);

/** Links to other sites are only those that our own answers hold. */
const flow = flowGraphAnswer.refine(
  ({ meta }) => {
    const chain = CHAINS.find(({ name }) => name === meta.chain);
    if (chain === undefined) return false;
    const { address, transaction } = presentExplorer(chain);
    return meta.explorer.address === address && meta.explorer.transaction === transaction;
  },
  { error: 'must name the explorer of its chain', path: ['meta', 'explorer'] },
);

const filters = z.strictObject({
  minUsd: z.number().min(0),
  minProbability: chance,
  hiddenKinds: z.array(textUpTo(KEY_MAX)).max(LIST_MAX),
  hiddenAssets: z.array(textUpTo(KEY_MAX)).max(LIST_MAX),
  untilUnixSeconds: z.number().nullable(),
});

/** What somebody did to a picture. Others may open it by a link, so an answer in it must have the form of ours. */
export const stepField = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('answered'), flow, from: card.nullable() }),
    z.strictObject({ type: z.literal('opened'), payer: card }),
    z.strictObject({ type: z.literal('hid'), card }),
    z.strictObject({ type: z.literal('filtered'), filters }),
    z.strictObject({ type: z.literal('viewed'), as: z.enum(['relations', 'transactions']) }),
    z.strictObject({ type: z.literal('noted'), card, note: textUpTo(NOTE_MAX) }),
    z.strictObject({
      type: z.literal('coloured'),
      card,
      colour: z.enum(['red', 'amber', 'green', 'blue']).nullable(),
    }),
  ],
  { error: needs('a step of a case') },
);

const name = textUpTo(NAME_MAX).min(1, { error: needs('a name') });
const version = wholeNumber(1, 2 ** 31 - 1, 'the `version` of the case that is changed');
const body = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape, { error: bodyError });

export const makeBody = body({ name, step: stepField });
export const takeBody = body({ version, step: stepField });
export const versionBody = body({ version });
export const nameBody = body({ name });
export const linkBody = body({ link: textUpTo(100) });
