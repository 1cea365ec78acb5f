import { z } from 'zod';
import { continuation, readingMeta } from '../asking/reading-fields.ts';
import {
  address,
  amount,
  amountRaw,
  asset,
  basis,
  chainName,
  count,
  decimals,
  indexHead,
  indexSpan,
  label,
  orNull,
  scope,
  share,
  signature,
  symbol,
  text,
  unixSeconds,
  usd,
  usdSource,
} from '../contract/fields.ts';
import { canFreeze, frozen, frozenKnown, issuer, position } from './outcome-fields.ts';

/** Only where senders added money of their own. */
const traced = {
  traced: amount('The traced part of the amount; absent where all of it is.').optional(),
  traced_raw: amountRaw('The traced part of the amount; absent where all of it is.').optional(),
};

export const swapped = z
  .object({
    symbol,
    address: text('Mint or contract; `native`: the coin.'),
    decimals,
    amount: orNull(amount('How much came out.'), 'not known of every swap.'),
    amount_raw: orNull(amountRaw('How much came out.'), 'not known of every swap.'),
    ...traced,
    usd: usd('Worth of the amount.'),
    recipient: address('Recipient.'),
  })
  .meta({ id: 'Swapped', description: 'What came out of a swap.' });

export const farSide = z
  .object({
    chain: chainName,
    address: address('Recipient on the other chain.'),
    asset: z
      .object({
        symbol,
        address: text('Mint or contract; `native`: the coin.'),
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
      description: 'id: by the message number of the bridge. beneficiary: by recipient, amount and time.',
    }),
    confidence: share('Certainty of the match.'),
  })
  .meta({ id: 'BridgeOutput', description: 'Where the money came out of a bridge.' });

const branch = z
  .object({
    from: address('Sender.'),
    to: address('Recipient.'),
    to_label: label('Label of `to`; only forward.').optional(),
    from_label: label('Label of `from`; only backward.').optional(),
    amount: amount('What was paid.'),
    amount_raw: amountRaw('What was paid.'),
    ...traced,
    usd: usd('Worth of the amount.'),
    usd_source: usdSource,
    signature: signature('Its largest transaction.'),
    since: unixSeconds('First payment, only forward: follow `to` from here on.').optional(),
    until: unixSeconds('Last payment, only backward: follow `from` up to here.').optional(),
    output: orNull(swapped.meta({ description: 'Proceeds of a swap.' }), 'no swap.'),
  })
  .meta({ id: 'Branch', description: 'Money that went another way than the trail.' });

export const through = z
  .array(z.object({ address: address('The contract.'), label: label('Its label.') }))
  .meta({ description: 'Contracts in between, in order.' });

const hop = z
  .object({
    from: address('Sender.'),
    to: address('Recipient.'),
    to_label: label('Label of `to`; only forward.').optional(),
    from_label: label('Label of `from`; only backward.').optional(),
    amount: amount('The traced part of `moved`.'),
    amount_raw: amountRaw('The traced part of `moved`.'),
    usd: usd('Worth of the amount.'),
    usd_source: usdSource,
    symbol,
    signature: signature('Its largest transaction.'),
    time: unixSeconds('Time of that transaction.'),
    share: share('Part of what `share_of` says.'),
    share_of: z.enum(['arrived', 'asked', 'moved']).meta({
      description:
        'arrived: what the hop before brought. asked: the sum of the request. moved: all that is indexed of what left, as what was there is unknown. Backward the other way round.',
    }),
    moved: amount('All that these transactions carried, own money of senders included.'),
    moved_raw: amountRaw('All that these transactions carried, own money of senders included.'),
    transactions: z
      .array(
        z.object({
          signature: signature('The transaction.'),
          amount: amount('What it moved.'),
          amount_raw: amountRaw('What it moved.'),
          time: unixSeconds('When it was.'),
        }),
      )
      .meta({ description: 'The largest, oldest first; backward the newest first.' }),
    transactions_total: count('All of them, shown or not.'),
    through,
    positions: z
      .array(position)
      .meta({ description: 'Deposits of the sender that were paid back to him before he paid on.' }),
    others: z.array(branch).meta({ description: 'Other payments of the sender, largest first.' }),
  })
  .meta({ id: 'Hop', description: 'One step of the trail.' });

export const followedAsset = asset.meta({ description: 'What was followed.' });

export const indexed = z.object({
  chain: chainName,
  scope,
  detail: orNull(text('What is missing, as sentences.'), 'nothing is.'),
  ...indexSpan,
  index_head: indexHead,
  ...basis,
  ...readingMeta,
});

export const followOn = z.object({
  path: z.enum(['/follow', '/trace']).meta({ description: 'The route to call.' }),
  body: z.looseObject({}).meta({ description: 'The body to send it.' }),
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

const OUTCOMES = [...END_REASONS, 'position', 'frozen', 'burned', 'fees'] as const;

/** The body of a good answer of POST /follow. */
export const followAnswer = z
  .object({
    chain: chainName,
    start: address('First wallet of the trail.'),
    start_label: label('Its label.'),
    asset: followedAsset,
    hops: z.array(hop).meta({ description: 'The trail, in order.' }),
    end: z
      .object({
        reason: z.enum(END_REASONS).meta({
          description:
            'split: nobody got most of it. at_rest: it is still there; backward: no earlier sender is known. loop: it returned to a wallet of the trail. max_hops: it goes on beyond `max_hops`, or time was up. no_data: the next wallet could not be read.',
        }),
        outcome: z.enum(OUTCOMES).meta({
          description:
            '`reason`, told more exactly. position: a receipt was got that its issuer pays back. frozen, burned, fees: what became of most of what is at rest.',
        }),
        outcomes: z
          .array(
            z.object({
              outcome: z.enum([...OUTCOMES, 'other']).meta({
                description: 'As `outcome`. other: paid to others, or not followed.',
              }),
              amount: amount('The sum.'),
              amount_raw: amountRaw('The sum.'),
            }),
          )
          .meta({
            description:
              'They add up exactly to the traced money that reached the last wallet. Empty where that is not known, and backward.',
          }),
        frozen,
        frozen_known: frozenKnown,
        can_freeze: canFreeze,
        issuer,
        address: address('The last wallet.'),
        detail: z.string().meta({ description: 'The reason as a sentence ready to show.' }),
        holding_source: orNull(
          z.enum(['rows', 'node']).meta({
            description: 'rows: by the index. node: by a node now.',
          }),
          'there is no holding.',
        ),
        holding_raw: orNull(
          amountRaw('Only at_rest: balance of the last wallet.'),
          'another end, or unknown.',
        ),
        holding: orNull(amount('Only at_rest: balance of the last wallet.'), 'another end, or unknown.'),
        branches: z.array(branch).meta({ description: 'Only split: the largest parts.' }),
        others: z.array(branch).meta({ description: 'Other payments of the last wallet.' }),
        output: z.union([swapped, farSide]).nullable().meta({
          description: 'dex_swap: the proceeds. bridge: where it came out. null: another end, or unknown.',
        }),
        signature: orNull(signature('Only dex_swap: the largest swap.'), 'another end.'),
        time: orNull(unixSeconds('Only dex_swap: when the first swap was.'), 'another end.'),
        next: followOn.nullable().meta({
          description: 'The call that goes on from here. null: there is none.',
        }),
      })
      .meta({ id: 'End', description: 'Why and where the trail ends.' }),
    meta: indexed.meta({ description: 'What the answer rests on.' }),
    continuation,
  })
  .meta({ id: 'FollowAnswer', description: 'The main stream of money out of a wallet.' });

export type FollowAnswer = z.infer<typeof followAnswer>;
