import { z } from 'zod';
import {
  address,
  amount,
  amountRaw,
  chainName,
  count,
  label,
  share,
  signature,
  unixSeconds,
  usd,
  usdSource,
} from '../contract/fields.ts';

const assetAddress = (what: string) => z.string().nullable().meta({ description: what });
const symbol = z
  .string()
  .nullable()
  .meta({ description: 'Symbol of the asset; null where nobody tells it.' });
const decimals = z.int().nullable().meta({
  description: 'Decimals of the asset; null where nobody tells them: amounts then count raw units.',
});

const swapped = z
  .object({
    symbol,
    address: z.string().meta({ description: 'Send it back as `asset` to go on: `native` for the coin.' }),
    decimals,
    amount: amount('How much came out.').nullable(),
    amount_raw: amountRaw('The same; null where it is not known of all that was swapped.').nullable(),
    usd: usd('Worth of the amount.'),
    recipient: address('Who got it: send it back as `address` to go on.'),
  })
  .meta({ id: 'Swapped', description: 'What came out of a swap.' });

const farSide = z
  .object({
    chain: chainName,
    address: address('Who was paid on the other chain.'),
    asset: z.object({
      symbol,
      address: z.string().meta({ description: 'Send it back as `asset` to go on: `native` for the coin.' }),
      decimals,
    }),
    amount: amount('What was paid out.'),
    amount_raw: amountRaw('What was paid out.'),
    signature: signature('The transaction that paid it out.'),
    since: unixSeconds('When it was paid out; only forward.').optional(),
    until: unixSeconds('When it was paid in; only backward.').optional(),
    by: z.enum(['id', 'beneficiary']).meta({
      description:
        "How both sides were matched: by the bridge's message number, or by beneficiary, amount and time.",
    }),
    confidence: share('How sure the match is.'),
  })
  .meta({ id: 'BridgeOutput', description: 'Where the money came out of a bridge.' });

const branch = z
  .object({
    from: address('Who paid.'),
    to: address('Who was paid.'),
    to_label: label('Label of `to`; only forward.').optional(),
    from_label: label('Label of `from`; only backward.').optional(),
    amount: amount('What was paid.'),
    amount_raw: amountRaw('What was paid.'),
    usd: usd('Worth of the amount.'),
    usd_source: usdSource,
    signature: signature('The largest transaction that carried it.'),
    since: unixSeconds('First transaction: follow `to` from here on. Only forward.').optional(),
    until: unixSeconds('Last transaction: follow `from` up to here. Only backward.').optional(),
    output: swapped.nullable().meta({ description: 'What was got for it in a swap; null: it was paid.' }),
  })
  .meta({ id: 'Branch', description: 'Money that went another way than the trail.' });

const hop = z
  .object({
    from: address('Who paid.'),
    to: address('Who was paid.'),
    to_label: label('Label of `to`; only forward.').optional(),
    from_label: label('Label of `from`; only backward.').optional(),
    amount: amount('How much of what was carried is the traced money.'),
    amount_raw: amountRaw('The same.'),
    usd: usd('Worth of the amount.'),
    usd_source: usdSource,
    symbol,
    signature: signature('The largest transaction that carried it.'),
    time: unixSeconds('When that transaction was.'),
    share: share('Part of what had arrived in the sending wallet.'),
    moved: amount('All that these transactions carried, the own money of senders included.'),
    moved_raw: amountRaw('The same.'),
    transactions: z
      .array(
        z.object({
          signature: signature('A transaction that carried it.'),
          amount: amount('What it carried.'),
          amount_raw: amountRaw('What it carried.'),
          time: unixSeconds('When it was.'),
        }),
      )
      .meta({ description: 'The largest transactions, in order of time; backward the latest first.' }),
    transactions_total: count('How many there are, shown or not.'),
    through: z
      .array(z.object({ address: address('The contract.'), label: label('Its label.') }))
      .meta({ description: 'Contracts that passed the money on within the same transactions, in order.' }),
    others: z.array(branch).meta({ description: 'What else left the sending wallet, largest first.' }),
  })
  .meta({ id: 'Hop', description: 'One step of the trail.' });

const END_REASONS = [
  'exchange',
  'bridge',
  'mixer',
  'dex_swap',
  'split',
  'at_rest',
  'loop',
  'max_hops',
  'no_data',
] as const;

/** The body of a good answer of POST /follow. */
export const followAnswer = z
  .object({
    chain: chainName,
    start: address('The wallet that the trail starts from.'),
    start_label: label('Who that is.'),
    asset: z.object({
      symbol,
      address: assetAddress('Mint or contract; null for the coin of the chain.'),
      decimals,
    }),
    hops: z.array(hop).meta({ description: 'The trail, in order.' }),
    end: z
      .object({
        reason: z.enum(END_REASONS).meta({ description: 'Why the trail ends.' }),
        address: address('The last wallet.'),
        detail: z.string().meta({ description: 'Why the trail ends, as a sentence ready to show.' }),
        holding_source: z.enum(['rows', 'node']).nullable().meta({
          description: 'rows: as of the newest indexed block. node: what a node of the chain says now.',
        }),
        holding_raw: amountRaw('The same as holding.').nullable(),
        holding: z.number().nullable().meta({
          description: 'Only at_rest: what the last wallet holds of the asset; null where it is not known.',
        }),
        branches: z.array(branch).meta({ description: 'Only split: the largest transfers it split into.' }),
        others: z
          .array(branch)
          .meta({ description: 'What left the last wallet beside what ends the trail.' }),
        output: z.union([swapped, farSide]).nullable().meta({
          description: 'dex_swap: what it was swapped into. bridge: where it came out, when known.',
        }),
        signature: signature('Only dex_swap: the largest swap.').nullable(),
        time: unixSeconds('Only dex_swap: when the first swap was.').nullable(),
        next: z
          .object({
            path: z.enum(['/follow', '/trace']).meta({ description: 'The route to call.' }),
            body: z.looseObject({}).meta({ description: 'The body to send it.' }),
          })
          .nullable()
          .meta({
            description:
              'The call that goes on from here: /trace through an exchange or a mixer, /follow behind a swap, a bridge or max_hops. null where nothing does.',
          }),
      })
      .meta({ id: 'End', description: 'Why and where the trail ends.' }),
    meta: z.object({
      chain: chainName,
      scope: z.enum(['full', 'partial', 'no_data']).meta({
        description:
          'full: all that the answer rests on is indexed. partial: `detail` says what is missing. no_data: nothing is known.',
      }),
      detail: z
        .string()
        .nullable()
        .meta({ description: 'What is missing, as sentences; null where nothing is.' }),
      data_from: unixSeconds('Since when no block is missing; null where nothing is indexed.').nullable(),
      data_to: unixSeconds('Newest indexed block of the chain; null where nothing is indexed.').nullable(),
      index_head: z.int().nullable().meta({ description: 'Number of that block.' }),
    }),
  })
  .meta({ id: 'FollowAnswer', description: 'The main stream of money out of a wallet.' });

export type FollowAnswer = z.infer<typeof followAnswer>;
