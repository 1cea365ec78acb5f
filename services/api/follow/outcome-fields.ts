import { z } from 'zod';
import { address, amount, amountRaw, orNull, signature, text, unixSeconds } from '../contract/fields.ts';

/** Fields about where money is now, which trails and flows share. */

export const freeze = z
  .object({
    signature: signature('The transaction that froze it.'),
    time: unixSeconds('When that was.'),
    block: z.int().meta({ description: 'Number of its block.' }),
    by: orNull(address('Who froze it.'), 'the chain does not tell.'),
  })
  .meta({ id: 'Freeze', description: 'The issuer froze the balance and has not released it.' });

export const frozen = orNull(
  freeze,
  'not at rest, not frozen since the money came, or `frozen_known` is false.',
);

export const frozenKnown = z.boolean().meta({
  description: 'false: whether money at rest is frozen is not known, such as where blocks are missing.',
});

export const canFreeze = z.boolean().nullable().meta({
  description: 'Whether the issuer of the asset can freeze a balance. null: not known.',
});

export const issuer = orNull(
  text('Only position: who pays the receipt back, by a list or by the label of its contract.'),
  'another outcome, or nobody names him.',
);

export const position = z
  .object({
    token: text('The receipt: mint or contract.'),
    deposited: signature('The transaction that put the money there.'),
    paid_back: signature('The transaction that brought it back.'),
    amount: amount('What came back, with what it earned.'),
    amount_raw: amountRaw('What came back, with what it earned.'),
    time: unixSeconds('When it came back.'),
  })
  .meta({ id: 'Position', description: 'A deposit that was paid back to the wallet that had made it.' });
