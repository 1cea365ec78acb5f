import { z } from 'zod';
import { CHAINS } from '../../investigate/model/chain.ts';
import { LABEL_KINDS } from '../../investigate/model/label.ts';

/** Field types that answers share. Each carries its unit and the meaning of null for the API document. */

export const text = (what: string) => z.string().meta({ description: what });

/** What may be missing: `meaning` says what null means there. */
export const orNull = <T extends z.ZodType>(field: T, meaning: string) =>
  field.nullable().meta({ description: `${field.description ?? ''} null: ${meaning}`.trim() });

export const address = (what: string) =>
  z.string().meta({ description: `${what} Base58 on Solana, EIP-55 hex on EVM chains.` });

export const signature = (what: string) =>
  z.string().meta({ description: `${what} Base58 on Solana, 0x and 64 hex digits on EVM chains.` });

export const chainName = z
  .enum(CHAINS.map(({ name }) => name) as [string, ...string[]])
  .meta({ description: 'Name of the chain.', examples: ['solana', 'ethereum'] });

export const unixSeconds = (what: string) => z.int().meta({ description: `${what} Unix seconds.` });

export const amount = (what: string) =>
  z.number().meta({ description: `${what} In whole units, for reading: use amount_raw for sums.` });

export const amountRaw = (what: string) =>
  z.string().meta({ description: `${what} In the smallest unit of the asset, a whole number.` });

export const usd = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what} US dollars at the time; null where no price is known.` });

export const usdSource = z
  .string()
  .nullable()
  .meta({ description: 'Where the price comes from; null where no price is known.' });

export const share = (what: string) =>
  z
    .number()
    .min(0)
    .max(1)
    .meta({ description: `${what} From 0 to 1.` });

export const count = (what: string) => z.int().min(0).meta({ description: what });

/** Beside each other wherever an answer says how far the index reaches. */
export const indexSpan = {
  data_from: orNull(unixSeconds('Since when no block of the chain is missing.'), 'nothing is indexed.'),
  data_to: orNull(unixSeconds('Time of the newest indexed block of the chain.'), 'nothing is indexed.'),
};

/** How an answer tells in `scope` how much it rests on; `noData` says what `no_data` means there. */
export const scope = (noData: string) =>
  z.enum(['full', 'partial', 'no_data']).meta({
    description: `full: all that the answer rests on is indexed. partial: \`detail\` says what is missing. no_data: ${noData}`,
  });

export const indexHead = orNull(
  z.int().meta({ description: 'Number of the newest indexed block of the chain.' }),
  'nothing is indexed.',
);

export const labelKind = z.enum(LABEL_KINDS).meta({ description: 'What kind of party the label names.' });

const labelObject = z
  .object({ name: text('Name of the labelled party.'), kind: labelKind })
  .meta({ id: 'Label', description: 'Who an address is known to be.' });

export const label = (what: string) =>
  orNull(
    labelObject.meta({ description: what }),
    'no label is known, which does not mean that it is harmless.',
  );
