import { z } from 'zod';
import {
  address,
  amount,
  amountRaw,
  asset,
  basis,
  chainName,
  label,
  orNull,
  scope,
  signature,
  text,
  unixSeconds,
  usd,
  usdSource,
} from '../contract/fields.ts';

const movement = z
  .object({
    from: address('Sender.'),
    from_label: label('Label of `from`.'),
    to: address('Recipient.'),
    to_label: label('Label of `to`.'),
    asset: asset.meta({ description: 'What moved.' }),
    amount: amount('What it moved.'),
    amount_raw: amountRaw('What it moved.'),
    usd: usd('Worth of the amount.'),
    usd_source: usdSource,
    authority: orNull(address('Who signed for it.'), '`from` itself.'),
  })
  .meta({ id: 'TxMovement', description: 'One movement of the transaction.' });

/** The body of a good answer of POST /tx. */
export const txAnswer = z
  .object({
    chain: chainName,
    hash: signature('The transaction.'),
    time: orNull(unixSeconds('When it was.'), 'nothing of it is known.'),
    block: orNull(z.int().meta({ description: 'Number of its block.' }), 'nothing of it is known.'),
    sender: orNull(address('Who sent it.'), 'nothing of it is known.'),
    sender_label: label('Its label.'),
    movements: z.array(movement).meta({
      description: 'What went from one party to another, in order, 1,000 at most. Fees are left out.',
    }),
    meta: z
      .object({
        chain: chainName,
        scope,
        detail: orNull(text('What is missing, as sentences.'), 'nothing is.'),
        ...basis,
      })
      .meta({ description: 'What the answer rests on.' }),
  })
  .meta({ id: 'TxAnswer', description: 'What one transaction moved.' });

export type TxAnswer = z.infer<typeof txAnswer>;
