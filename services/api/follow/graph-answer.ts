import { z } from 'zod';
import { END_REASONS, FRONTIER_REASONS } from '../../investigate/follow/graph/flow-graph.ts';
import { continuation } from '../asking/reading-fields.ts';
import {
  address,
  amount,
  amountRaw,
  chainName,
  count,
  label,
  orNull,
  START_USD,
  share,
  signature,
  unixSeconds,
  usdSource,
} from '../contract/fields.ts';
import { farSide, followedAsset, followOn, indexed, swapped, through } from './answer.ts';
import { canFreeze, frozen, frozenKnown, issuer, position } from './outcome-fields.ts';

const usd = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what} ${START_USD}` });
const total = z
  .object({ amount: amount('The sum.'), amount_raw: amountRaw('The sum.'), usd: usd('Worth of the amount.') })
  .meta({ id: 'FlowSum', description: 'A part of the money.' });
const sum = (what: string) => total.meta({ description: what });

const OUTCOMES = [
  'exchange',
  'bridge',
  'mixer',
  'dex_swap',
  'position',
  'frozen',
  'burned',
  'fees',
  'at_rest',
  'frontier',
] as const;

const node = z
  .object({
    address: address('The wallet.'),
    label: label('Its label.'),
    is_start: z.boolean().meta({ description: 'Whether the request starts here.' }),
    hops: count('Fewest payments from a start.'),
    probability: share('Chance that money of the starts reached it.'),
    arrived: amount('Expected part of the money that arrived here.'),
    arrived_raw: amountRaw('Expected part of the money that arrived here.'),
    left: amount('What of it left again.'),
    left_raw: amountRaw('What of it left again.'),
    rest: amount('What of it did not leave.'),
    rest_raw: amountRaw('What of it did not leave.'),
    usd: usd('Worth of what arrived.'),
    end: z.enum(END_REASONS).nullable().meta({
      description: 'Why it is not followed further; null: it is, or the frontier says why not.',
    }),
  })
  .meta({ id: 'FlowNode', description: 'A wallet that money of the starts reached.' });

const edge = z
  .object({
    from: address('Sender.'),
    to: address('Recipient.'),
    through,
    amount: amount('Expected part of the money.'),
    amount_raw: amountRaw('Expected part of the money.'),
    usd: usd('Worth of the amount.'),
    moved: amount('All that these payments carried.'),
    moved_raw: amountRaw('All that these payments carried.'),
    share: share('Part of what `from` received.'),
    probability: share('Chance that one of these payments is money of the starts.'),
    beyond_sum: z.boolean().meta({
      description: 'true: `from` had already paid on all that it received.',
    }),
    transactions: z
      .array(
        z.object({
          signature: signature('The transaction.'),
          amount: amount('What it moved.'),
          amount_raw: amountRaw('What it moved.'),
          time: unixSeconds('When it was.'),
        }),
      )
      .meta({ description: 'The largest, oldest first.' }),
    transactions_total: count('All of them, shown or not.'),
  })
  .meta({
    id: 'FlowEdge',
    description: 'Payments of one wallet to another.',
  });

const end = z
  .object({
    reason: z.enum(END_REASONS).meta({
      description: 'at_rest: less than a tenth has left. no_data: what the wallet did is not indexed.',
    }),
    outcome: z.enum([...END_REASONS, 'position', 'frozen', 'burned', 'fees']).meta({
      description:
        '`reason`, told more exactly. position: a receipt was got that its issuer pays back. frozen, burned, fees: what became of most of what is at rest.',
    }),
    frozen,
    frozen_known: frozenKnown,
    can_freeze: canFreeze,
    issuer,
    address: address('The wallet, or who got the proceeds.'),
    from: address('Whose money it was.'),
    label: label('Its label.'),
    amount: amount('Expected part of the money.'),
    amount_raw: amountRaw('Expected part of the money.'),
    usd: usd('Worth of the amount.'),
    probability: share('Chance that money of the starts ended here.'),
    output: orNull(
      swapped.meta({ description: 'Only dex_swap: the main proceeds.' }),
      'another end, or unknown.',
    ),
    crossings: z
      .array(farSide)
      .meta({ description: 'Only bridge: where the largest payments came out, as far as found.' }),
    next: z.array(followOn).meta({ description: 'Calls that go on from here, of the most money first.' }),
  })
  .meta({ id: 'FlowEnd', description: 'Where money of the starts ended.' });

const resting = z
  .object({
    address: address('The wallet.'),
    label: label('Its label.'),
    amount: amount('Expected part of the money.'),
    amount_raw: amountRaw('Expected part of the money.'),
    usd: usd('Worth of the amount.'),
    burned_raw: amountRaw('What of the amount the wallet destroyed since.'),
    fees_raw: amountRaw('What of the amount the wallet paid in fees since.'),
    frozen,
    frozen_known: frozenKnown,
    can_freeze: canFreeze,
    probability: share('Chance that money of the starts reached it.'),
  })
  .meta({ id: 'FlowRest', description: 'A wallet that still has money of the starts.' });

const frontier = z
  .object({
    address: address(
      'The unread wallet; with `size` and `min_probability` whose payments were not followed.',
    ),
    reason: z.enum(FRONTIER_REASONS).meta({
      description: 'The limit of the request. size: of one answer. unread: it could not be read.',
    }),
    amount: amount('Expected part of the money.'),
    amount_raw: amountRaw('Expected part of the money.'),
    usd: usd('Worth of the amount.'),
    probability: share('Chance that money of the starts reached it.'),
  })
  .meta({ id: 'FlowFrontier', description: 'A wallet that was reached and not read.' });

/** The body of a good answer of POST /follow with `graph`. */
export const flowGraphAnswer = z
  .object({
    chain: chainName,
    starts: z
      .array(address('A first wallet.'))
      .meta({ description: 'First wallets, in the order of the request.' }),
    asset: followedAsset,
    nodes: z
      .array(node)
      .meta({ description: 'Wallets, by money received. Probabilities are along the likeliest path.' }),
    edges: z.array(edge).meta({ description: 'Payments, by money carried.' }),
    ends: z.array(end).meta({ description: 'Ends, largest first.' }),
    rests: z.array(resting).meta({
      description: 'Wallets where money still is, also those that paid some on, largest first.',
    }),
    frontier: z.array(frontier).meta({ description: 'Wallets reached and not read, largest first.' }),
    positions: z.array(position.extend({ wallet: address('Whose it was.') })).meta({
      description: 'Deposits that were paid back to the wallets that had made them, largest first.',
    }),
    coverage: z
      .object({
        taken: sum('Taken at the starts.'),
        ends: sum('Reached an exchange, bridge, mixer or swap.'),
        rest: sum('Still in wallets that were read: the sum of `rests`.'),
        frontier: sum('At the frontier, or where nothing is indexed.'),
        outcomes: z
          .array(
            total.extend({
              outcome: z.enum(OUTCOMES).meta({
                description:
                  'position: put where its issuer pays it back. burned, fees: destroyed or paid in fees by wallets that had it. frontier: not followed.',
              }),
            }),
          )
          .meta({ description: 'Where the money is now, largest first: they add up exactly to taken.' }),
        usd_source: usdSource,
        usd_at: orNull(unixSeconds('The time whose price all dollars here have.'), 'no price is known.'),
      })
      .meta({
        description: 'ends, rest and frontier add up exactly to taken.',
      }),
    meta: indexed
      .extend({
        questions: count('Queries to the tables.'),
        wallets_read: count('Wallets read.'),
        rows_read: count('Transfers and swaps read.'),
      })
      .meta({ description: 'What the answer rests on.' }),
    continuation,
  })
  .meta({ id: 'FlowGraph', description: 'All money out of the first wallets, over every branch.' });

export type FlowGraphAnswer = z.infer<typeof flowGraphAnswer>;
