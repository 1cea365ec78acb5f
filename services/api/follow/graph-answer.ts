import { z } from 'zod';
import { END_REASONS, FRONTIER_REASONS } from '../../investigate/follow/graph/flow-graph.ts';
import {
  address,
  amount,
  amountRaw,
  chainName,
  count,
  label,
  orNull,
  share,
  signature,
  unixSeconds,
  usdSource,
} from '../contract/fields.ts';
import { followedAsset, indexed, swapped } from './answer.ts';

const usd = (what: string) =>
  z
    .number()
    .nullable()
    .meta({
      description: `${what} US dollars by the price of the moment when the money began to move; null where none is known.`,
    });
const probability = (what: string) => share(`${what} Of the likeliest way from a start, payment by payment.`);
const sum = (what: string) =>
  z.object({ amount: amount(what), amount_raw: amountRaw(what), usd: usd(what) }).meta({ description: what });

const node = z
  .object({
    address: address('The wallet.'),
    label: label('Who that is.'),
    is_start: z.boolean().meta({ description: 'Whether the request starts here.' }),
    hops: count('Payments from a start to here, at least.'),
    probability: probability('That money of the starts reached it.'),
    arrived: amount('How much of the money is expected to have come here.'),
    arrived_raw: amountRaw('The same.'),
    left: amount('How much of that has left again.'),
    left_raw: amountRaw('The same.'),
    rest: amount('How much of that has not left.'),
    rest_raw: amountRaw('The same.'),
    usd: usd('Worth of what came.'),
    end: z.enum(END_REASONS).nullable().meta({
      description:
        'Why the money is not followed from here; null where it is, or where the frontier says why not.',
    }),
  })
  .meta({ id: 'FlowNode', description: 'A wallet that money of the starts reached.' });

const edge = z
  .object({
    from: address('Who paid.'),
    to: address('Who was paid.'),
    amount: amount('How much of the money is expected to have gone this way.'),
    amount_raw: amountRaw('The same.'),
    usd: usd('Worth of that.'),
    moved: amount('All that these payments carried.'),
    moved_raw: amountRaw('The same.'),
    share: share('Part of the money that came to `from`.'),
    probability: probability('That one of these payments is money of the starts.'),
    beyond_sum: z.boolean().meta({
      description:
        'As much as had come to `from` had left it before: a payment that may still be the money, which counts for no dollars twice.',
    }),
    transactions: z
      .array(
        z.object({
          signature: signature('A transaction that carried it.'),
          amount: amount('What it carried.'),
          amount_raw: amountRaw('What it carried.'),
          time: unixSeconds('When it was.'),
        }),
      )
      .meta({ description: 'The largest transactions, in order of time.' }),
    transactions_total: count('How many there are, shown or not.'),
  })
  .meta({
    id: 'FlowEdge',
    description: 'All payments of one wallet to another that may be money of the starts.',
  });

const end = z
  .object({
    reason: z.enum(END_REASONS).meta({
      description: 'at_rest: less than a tenth has left. no_data: what the wallet did is not indexed.',
    }),
    address: address('The wallet, or who swapped.'),
    label: label('Who that is.'),
    amount: amount('How much of the money is expected to have ended here.'),
    amount_raw: amountRaw('The same.'),
    usd: usd('Worth of that.'),
    probability: probability('That money of the starts ended here.'),
    output: orNull(
      swapped.meta({ description: 'Only dex_swap: what it got most of.' }),
      'another end, or not known.',
    ),
  })
  .meta({ id: 'FlowEnd', description: 'Where money of the starts ended.' });

const frontier = z
  .object({
    address: address(
      'The wallet that was reached. With `size` and `min_probability`, the one whose payments were not followed.',
    ),
    reason: z.enum(FRONTIER_REASONS).meta({
      description:
        'The bound of the request that it is behind; size: of one answer; unread: it could not be read.',
    }),
    amount: amount('How much of the money is expected to be there, or behind it.'),
    amount_raw: amountRaw('The same.'),
    usd: usd('Worth of that.'),
    probability: probability('That money of the starts reached it.'),
  })
  .meta({ id: 'FlowFrontier', description: 'Where nobody looked further.' });

/** The body of a good answer of POST /follow with `graph`. */
export const flowGraphAnswer = z
  .object({
    chain: chainName,
    starts: z
      .array(address('A wallet that the flow starts from.'))
      .meta({ description: 'Wallets that the flow starts from, as the request names them.' }),
    asset: followedAsset,
    nodes: z.array(node).meta({ description: 'Wallets, those first that got most of the money.' }),
    edges: z
      .array(edge)
      .meta({ description: 'Payments between them, those first that carried most of the money.' }),
    ends: z.array(end).meta({ description: 'Where the money ended, the largest first.' }),
    frontier: z.array(frontier).meta({ description: 'What was reached and not read, the largest first.' }),
    coverage: z
      .object({
        taken: sum('What was taken at the starts.'),
        ends: sum('Of it, what reached an exchange, a bridge, a mixer or a swap.'),
        rest: sum('Of it, what lies in wallets that were read.'),
        frontier: sum('Of it, what is at the frontier, or where nothing is indexed.'),
        usd_source: usdSource,
      })
      .meta({
        description:
          'Where the money is. ends, rest and frontier add up to taken, to the last unit and cent.',
      }),
    meta: indexed
      .extend({
        questions: count('Questions that were put to the tables.'),
        wallets_read: count('Wallets that were read, each once.'),
        rows_read: count('Transfers and swaps that were read.'),
      })
      .meta({ description: 'What the answer rests on.' }),
  })
  .meta({ id: 'FlowGraph', description: 'All money out of some wallets, over every branch.' });

export type FlowGraphAnswer = z.infer<typeof flowGraphAnswer>;
