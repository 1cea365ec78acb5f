import { z } from 'zod';
import { CHAINS } from '../../investigate/model/chain.ts';
import { LABEL_KINDS } from '../../investigate/model/label.ts';

/** Field types that answers share. Each carries its unit and the meaning of null for the API document. */

export const ADDRESS = 'Base58 on Solana; hex on EVM chains, in answers with EIP-55 checksum.';
const HASH = 'Base58 on Solana, 0x and 64 hex digits on EVM chains.';
const SECONDS = 'Unix seconds.';
const AMOUNT = 'In whole units, for reading: use the field that ends in _raw for sums.';
const RAW = 'In the smallest unit of the asset, exact, as decimal digits.';
const USD = 'US dollars at the time; null where no price is known.';
export const START_USD =
  'US dollars at the price when the money began to move; null where no price is known.';
const SHARE = 'From 0 to 1.';
const LABEL = 'null: no label is known, which does not mean that it is harmless.';

/** Sentences at the end of many descriptions. The guide shows the short name instead. */
export const UNITS = [
  { unit: 'address', sentence: ADDRESS },
  { unit: 'hash', sentence: HASH },
  { unit: 'seconds', sentence: SECONDS },
  { unit: 'amount', sentence: AMOUNT },
  { unit: 'raw', sentence: RAW },
  { unit: 'usd', sentence: USD },
  { unit: 'start-usd', sentence: START_USD },
  { unit: 'share', sentence: SHARE },
  { unit: 'label', sentence: LABEL },
] as const;

export const text = (what: string) => z.string().meta({ description: what });

/** A nullable field; `meaning` says what null means. */
export const orNull = <T extends z.ZodType>(field: T, meaning: string) =>
  field.nullable().meta({ description: `${field.description ?? ''} null: ${meaning}`.trim() });

export const address = (what: string) => z.string().meta({ description: `${what} ${ADDRESS}` });

export const signature = (what: string) => z.string().meta({ description: `${what} ${HASH}` });

export const chainName = z
  .enum(CHAINS.map(({ name }) => name) as [string, ...string[]])
  .meta({ description: 'Name of the chain.', examples: ['solana', 'ethereum'] });

export const unixSeconds = (what: string) => z.int().meta({ description: `${what} ${SECONDS}` });

export const amount = (what: string) => z.number().meta({ description: `${what} ${AMOUNT}` });

export const amountRaw = (what: string) => z.string().meta({ description: `${what} ${RAW}` });

export const usd = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what} ${USD}` });

export const usdSource = z
  .string()
  .nullable()
  .meta({ description: 'Source of the price; null where no price is known.' });

export const share = (what: string) =>
  z
    .number()
    .min(0)
    .max(1)
    .meta({ description: `${what} ${SHARE}` });

export const count = (what: string) => z.int().min(0).meta({ description: what });

/** Of an asset. */
export const symbol = orNull(text('Symbol of the asset.'), 'no trusted source names it.');
export const decimals = orNull(
  z.int().meta({ description: 'Decimals of the asset.' }),
  'unknown; amounts then count raw units.',
);

/** How far the index reaches. */
export const indexSpan = {
  data_from: orNull(unixSeconds('Since then no block is missing.'), 'nothing is indexed.'),
  data_to: orNull(unixSeconds('Time of the newest indexed block.'), 'nothing is indexed.'),
};

/** How much an answer rests on. */
export const scope = z.enum(['full', 'partial', 'no_data']).meta({
  description:
    'full: all needed data is indexed. partial: `detail` says what is missing. no_data: nothing is known; free.',
});

/** Where to look up what the answer names. */
const explorer = z
  .object({
    address: text('Page of an address: put it in place of `{address}`.'),
    transaction: text('Page of a transaction: put its hash in place of `{hash}`.'),
  })
  .meta({
    id: 'Explorer',
    description: 'Pages of a public explorer, which does not know a generated world.',
  });

/** In `meta` of every answer to a question. */
export const basis = {
  prices: z.enum(['ready', 'pending']).meta({
    description: 'pending: prices are still worked out from what is indexed. Ask again where `usd` is null.',
  }),
  explorer,
};

/** The coin has no address of its own. */
export const asset = z
  .object({ symbol, address: orNull(text('Mint or contract.'), 'the coin of the chain.'), decimals })
  .meta({ id: 'Asset', description: 'An asset.' });

export const indexHead = orNull(
  z.int().meta({ description: 'Number of the newest indexed block.' }),
  'nothing is indexed.',
);

export const labelKind = z.enum(LABEL_KINDS).meta({ description: 'Kind of party.' });

const labelObject = z
  .object({ name: text('Name of the party.'), kind: labelKind })
  .meta({ id: 'Label', description: 'Who an address is.' });

export const label = (what: string) => labelObject.nullable().meta({ description: `${what} ${LABEL}` });
