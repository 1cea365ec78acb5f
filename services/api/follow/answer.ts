import { z } from 'zod';
import {
  address,
  amount,
  amountRaw,
  chainName,
  count,
  indexHead,
  indexSpan,
  label,
  orNull,
  scope,
  share,
  signature,
  text,
  unixSeconds,
  usd,
  usdSource,
} from '../contract/fields.ts';

const symbol = orNull(text('Symbol of the asset.'), 'nobody tells it.');
const decimals = orNull(
  z.int().meta({ description: 'Decimals of the asset.' }),
  'nobody tells them, and amounts count raw units.',
);

/** Only where senders added money of their own. */
const traced = {
  traced: amount('How much of the amount is the traced money; absent where all of it is.').optional(),
  traced_raw: amountRaw('The same.').optional(),
};

export const swapped = z
  .object({
    symbol,
    address: text('Send it back as `asset` to go on: mint or contract, `native` for the coin of the chain.'),
    decimals,
    amount: orNull(amount('How much came out.'), 'not known of all that was swapped.'),
    amount_raw: orNull(amountRaw('How much came out.'), 'not known of all that was swapped.'),
    ...traced,
    usd: usd('Worth of the amount.'),
    recipient: address('Who got it: send it back as `address` to go on.'),
  })
  .meta({ id: 'Swapped', description: 'What came out of a swap.' });

const farSide = z
  .object({
    chain: chainName,
    address: address('Who was paid on the other chain.'),
    asset: z
      .object({
        symbol,
        address: text(
          'Send it back as `asset` to go on: mint or contract, `native` for the coin of the chain.',
        ),
        decimals,
      })
      .meta({ description: 'What was paid out there.' }),
    amount: amount('What was paid out.'),
    amount_raw: amountRaw('What was paid out.'),
    ...traced,
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
    ...traced,
    usd: usd('Worth of the amount.'),
    usd_source: usdSource,
    signature: signature('The largest transaction that carried it.'),
    since: unixSeconds('First transaction: follow `to` from here on. Only forward.').optional(),
    until: unixSeconds('Last transaction: follow `from` up to here. Only backward.').optional(),
    output: orNull(swapped.meta({ description: 'What was got for it in a swap.' }), 'it was paid.'),
  })
  .meta({ id: 'Branch', description: 'Money that went another way than the trail.' });

const hop = z
  .object({
    from: address('Who paid.'),
    to: address('Who was paid.'),
    to_label: label('Label of `to`; only forward.').optional(),
    from_label: label('Label of `from`; only backward.').optional(),
    amount: amount('How much of what was carried is the traced money.'),
    amount_raw: amountRaw('How much of what was carried is the traced money.'),
    usd: usd('Worth of the amount.'),
    usd_source: usdSource,
    symbol,
    signature: signature('The largest transaction that carried it.'),
    time: unixSeconds('When that transaction was.'),
    share: share('Part of what had arrived in the sending wallet.'),
    moved: amount('All that these transactions carried, the own money of senders included.'),
    moved_raw: amountRaw('All that these transactions carried, the own money of senders included.'),
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

export const followedAsset = z
  .object({
    symbol,
    address: orNull(text('Mint or contract.'), 'the coin of the chain.'),
    decimals,
  })
  .meta({ description: 'What was followed.' });

export const indexed = z.object({
  chain: chainName,
  scope: scope('nothing is known of the wallet; free.'),
  detail: orNull(text('What is missing, as sentences.'), 'nothing is.'),
  ...indexSpan,
  index_head: indexHead,
});

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
    asset: followedAsset,
    hops: z.array(hop).meta({ description: 'The trail, in order.' }),
    end: z
      .object({
        reason: z.enum(END_REASONS).meta({
          description:
            'Why the trail ends. exchange, bridge, mixer: the money reached one. dex_swap: it was swapped. split: no party got most of it. at_rest: it is still there; backward: it came from nobody before. loop: it came back to a wallet of the trail. max_hops: it goes on behind `max_hops`, or time was up. no_data: the next wallet could not be read.',
        }),
        address: address('The last wallet.'),
        detail: z.string().meta({ description: 'Why the trail ends, as a sentence ready to show.' }),
        holding_source: orNull(
          z.enum(['rows', 'node']).meta({
            description:
              'Who says the holding. rows: the index, as of its newest block. node: a node of the chain, now.',
          }),
          'there is no holding.',
        ),
        holding_raw: orNull(
          amountRaw('Only at_rest: what the last wallet holds of the asset.'),
          'another end, or not known.',
        ),
        holding: orNull(
          amount('Only at_rest: what the last wallet holds of the asset.'),
          'another end, or not known.',
        ),
        branches: z.array(branch).meta({ description: 'Only split: the largest transfers it split into.' }),
        others: z
          .array(branch)
          .meta({ description: 'What left the last wallet beside what ends the trail.' }),
        output: z.union([swapped, farSide]).nullable().meta({
          description:
            'dex_swap: what it was swapped into. bridge: where it came out. null: another end, or not known.',
        }),
        signature: orNull(signature('Only dex_swap: the largest swap.'), 'another end.'),
        time: orNull(unixSeconds('Only dex_swap: when the first swap was.'), 'another end.'),
        next: z
          .object({
            path: z.enum(['/follow', '/trace']).meta({ description: 'The route to call.' }),
            body: z.looseObject({}).meta({ description: 'The body to send it.' }),
          })
          .nullable()
          .meta({
            description:
              'The call that goes on from here: /trace through an exchange or a mixer, /follow behind a swap, a bridge or max_hops. null: nothing goes on.',
          }),
      })
      .meta({ id: 'End', description: 'Why and where the trail ends.' }),
    meta: indexed.meta({ description: 'What the answer rests on.' }),
  })
  .meta({ id: 'FollowAnswer', description: 'The main stream of money out of a wallet.' });

export type FollowAnswer = z.infer<typeof followAnswer>;
