import { z } from 'zod';
import { BEHAVIOUR_NAMES, SEVERITIES } from '../../investigate/analyze/behaviours/behaviour.ts';
import { IDENTITY_TYPES } from '../../investigate/analyze/profile.ts';
import { LEVELS } from '../../investigate/analyze/risk/score.ts';
import { LABEL_KINDS } from '../../investigate/model/label.ts';
import {
  address,
  amount,
  amountRaw,
  chainName,
  count,
  label,
  labelKind,
  share,
  signature,
  unixSeconds,
  usd,
} from '../contract/fields.ts';
import { frozenAnswer, programAnswer, tokenAnswer } from './control-answer.ts';

const text = (what: string) => z.string().meta({ description: what });
const severity = z.enum(SEVERITIES).meta({ description: 'How bad it is where it holds.' });
const direction = z.enum(['in', 'out']).meta({ description: 'in: it came to the subject.' });
const transaction = signature('The transaction; null where it could not be named in time.').nullable();

const asset = z
  .object({
    symbol: text('Symbol of the asset; null where nothing trustworthy names it.').nullable(),
    address: text('Mint or contract; `native` for the coin of the chain.'),
    decimals: z
      .int()
      .nullable()
      .meta({ description: 'null where nobody tells them: amounts count raw units.' }),
  })
  .meta({ id: 'ProfileAsset' });

const said = z
  .object({
    name: text('Who it is.'),
    kind: labelKind,
    entity: text('The party that it belongs to; null where the source names none.').nullable(),
    category: text("The source's own word; null where it has none.").nullable(),
    source: text('The list that says it.'),
    creator: text('Who entered it; null where the source does not say.').nullable(),
    confidence: share('How sure the source is.'),
    evidence: text('Where it can be checked; null where the source gives nothing.').nullable(),
    updated_at: unixSeconds('When the source said it last.'),
    valid_from: unixSeconds('Since when it is so; null: always.').nullable(),
    valid_to: unixSeconds('Until when it was so; null while it is.').nullable(),
    inherited_from: address('The address whose label this one follows from.').nullable(),
  })
  .meta({ id: 'SaidLabel', description: 'What one source says of the address.' });

const step = {
  from: address('Who paid.'),
  to: address('Who was paid.'),
  signature: transaction,
  time: unixSeconds('When it was paid.'),
  asset,
  amount: amount('What was paid.'),
  amount_raw: amountRaw('What was paid.'),
  usd: z.number().meta({ description: "Dollars of the subject's money in this payment." }),
};

const evidence = z
  .object({
    ...{ from: step.from.optional(), to: step.to.optional(), signature: transaction, time: step.time },
    ...{ asset: asset.optional(), amount: step.amount.optional(), amount_raw: step.amount_raw.optional() },
    usd: step.usd.optional(),
    counterparty: address('The party that the reason speaks of.').optional(),
    label: label('Who it is.').optional(),
  })
  .meta({ id: 'RiskEvidence', description: 'A transaction that can be opened in an explorer.' });

const exposed = z
  .object({
    usd: z.number().meta({ description: 'Dollars at the time; 0: looked for and not found.' }),
    share: share('Part of all that came in (went out).'),
    min_hops: count(
      'Hops to the nearest such party, 1 where they dealt directly; null where there is none.',
    ).nullable(),
    direct_usd: z.number().meta({ description: 'Of these dollars those of direct counterparties.' }),
    indirect_usd: z.number().meta({ description: 'Of these dollars those through unlabelled wallets.' }),
  })
  .meta({ id: 'ExposedKind' });

const exposureSide = z
  .object({
    ...(Object.fromEntries(LABEL_KINDS.map((kind) => [kind, exposed])) as Record<
      (typeof LABEL_KINDS)[number],
      typeof exposed
    >),
    unattributed: z.object({
      usd: z.number().meta({ description: 'Dollars of which nobody known was found.' }),
      share: share('Part of all that came in (went out).'),
      min_hops: z.null(),
    }),
  })
  .nullable()
  .meta({ description: 'By kind of party; all shares add up to 1. null: nothing with a known price moved.' });

const exposureRead = z
  .object({
    total_usd: z.number().meta({ description: 'All that came in (went out).' }),
    wallets: count('Unlabelled wallets whose history was read.'),
    stopped: count('Wallets at which the way ended: busy ones, and contracts that pay strangers.'),
    left_out_usd: z.number().meta({ description: 'Dollars behind wallets that were not looked at.' }),
  })
  .nullable()
  .meta({ description: 'How far was looked.' });

const risk = z
  .object({
    level: z.enum([...LEVELS, 'unknown']).meta({
      description: 'unknown: nothing is known by which it could be told. It never means clean.',
    }),
    score: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .meta({ description: 'null where the level is unknown; 0: looked and found nothing.' }),
    reasons: z.array(
      z
        .object({
          code: text('The signal; GET /signals tells its meaning.'),
          severity,
          weight: share('Default weight of the signal.'),
          strength: share('How fully it holds.'),
          detail: text('The reason as a sentence ready to show.'),
          evidence: z.array(evidence),
          path: z.array(z.object(step).meta({ id: 'PathStep' })).meta({
            description:
              'Of indirect exposure: the way by which most of it came, in the order in which money moved.',
          }),
        })
        .meta({ id: 'RiskReason' }),
    ),
    exposure: z.object({ in: exposureSide, out: exposureSide }),
    exposure_read: z.object({ in: exposureRead, out: exposureRead }),
    would_change: z
      .array(
        z.object({
          without: z.object({
            signal: text('The signal that would not have fired.').optional(),
            label: z
              .object({ address: address('The labelled party.'), name: text('Its name.') })
              .optional()
              .meta({ description: 'The label that would not be there.' }),
          }),
          level: z.enum(LEVELS),
          score: z.number().min(0).max(100),
        }),
      )
      .meta({
        description: 'Each single signal, or label of a party, without which the level would be another.',
      }),
    versions: z
      .object({ score: z.int(), signals: z.int() })
      .meta({ description: 'Scores of two versions do not compare.' }),
  })
  .meta({ id: 'Risk' });

const funder = {
  address: address('Who gave the first coin.'),
  funded: address('Whom.'),
  label: label('Who the funder is.'),
  amount: amount('What was given.'),
  amount_raw: amountRaw('What was given.'),
  asset: text('Symbol of the coin.'),
  signature: transaction,
  time: unixSeconds('When it was given.'),
};

const transfer = z
  .object({
    direction,
    counterparty: address('The other party.'),
    asset,
    amount: amount('What moved.'),
    amount_raw: amountRaw('What moved.'),
    usd: usd('Worth of the amount.'),
    signature: transaction,
    time: unixSeconds('When it moved.'),
  })
  .meta({ id: 'ProfileTransfer' });

const side = z
  .object({
    count: count('Transfers.'),
    usd: usd('All of them together, of those that have a price.'),
    first: unixSeconds('The first; null where there is none.').nullable(),
    last: unixSeconds('The last; null where there is none.').nullable(),
    largest: transfer.nullable(),
  })
  .meta({ id: 'ConnectionSide' });

const connection = z
  .object({
    address: address('The counterparty.'),
    label: label('Who it is.'),
    in: side,
    out: side,
    transfers: z
      .array(
        z.object({
          signature: transaction,
          time: unixSeconds('When it was.'),
          direction,
          counterparty: address('The mixer or exchange.'),
          asset: text('Symbol of the largest part.').nullable(),
          amount: amount('The largest part.'),
          amount_raw: amountRaw('The largest part.'),
          sol: z.number().meta({ description: 'Coin moved in the transaction, whole units.' }),
          usd: z.number().meta({ description: 'Stablecoins moved in the transaction.' }),
        }),
      )
      .meta({
        description:
          'Of a mixer or exchange: with `wallet` these are requests that POST /trace takes. Empty for others.',
      }),
  })
  .meta({ id: 'Connection' });

const used = z.object({ count: count('Transfers.'), usd: usd('All of them together.') });

/** The body of a good answer of POST /analyze. */
export const analyzeAnswer = z
  .object({
    address: address('The address that was asked about.'),
    chain: chainName,
    identity: z
      .object({
        type: z
          .enum(IDENTITY_TYPES)
          .nullable()
          .meta({ description: 'null where nothing is known of the address.' }),
        name: text('Who it is; null without a label.').nullable(),
        entity: text('The party that it belongs to.').nullable(),
        owner: text("Of a customer's address at an exchange: the exchange.").nullable(),
        predicted: z
          .object({
            type: z.enum(IDENTITY_TYPES),
            confidence: share('How sure that is.'),
            why: text('What it did that makes it seem so.'),
          })
          .nullable()
          .meta({ description: 'What an address without a label seems to be. It never replaces a label.' }),
      })
      .meta({ id: 'Identity' }),
    labels: z.array(said),
    risk,
    funding: z
      .object({
        ...funder,
        chain: z.array(z.object(funder)).meta({ description: 'The funder, its funder, and so on.' }),
        end: z
          .enum(['service', 'labelled', 'unknown', 'steps', 'loop'])
          .meta({ description: 'Why the chain ends.' }),
      })
      .nullable()
      .meta({ id: 'Funding', description: 'Who first gave it coin; null where nobody did that is known.' }),
    activity: z
      .object({
        first_seen: unixSeconds('Its first row.'),
        last_seen: unixSeconds('Its newest row.'),
        transactions: count('Distinct transactions.'),
        transfers_in: count('Transfers to it.'),
        transfers_out: count('Transfers from it.'),
        counterparties: count('Different other parties.'),
        usd_in: usd('What came in, swaps left out; null, too, where not all rows were read.'),
        usd_out: usd('What went out, swaps left out; null, too, where not all rows were read.'),
      })
      .nullable()
      .meta({ description: 'null where no transaction of it is indexed.' }),
    frozen: frozenAnswer(asset),
    token: tokenAnswer,
    program: programAnswer,
    balances: z.array(
      z.object({
        asset,
        amount: amount('What it holds; null where its history is not whole.').nullable(),
        amount_raw: amountRaw('What it holds.').nullable(),
        usd: usd('Worth now.'),
        source: z.enum(['rows']).nullable().meta({ description: 'rows: the sum of its whole history.' }),
      }),
    ),
    behaviours: z.array(
      z
        .object({
          name: z.enum(BEHAVIOUR_NAMES),
          confidence: share('How sure that is.'),
          severity,
          detail: text('What was seen, as a sentence ready to show.'),
          evidence: z.array(signature('A transaction that shows it.')),
        })
        .meta({ id: 'Behaviour' }),
    ),
    connections: z
      .array(connection)
      .meta({ description: 'Labelled ones first, then the largest by dollars.' }),
    services: z
      .array(
        z.object({
          name: text('The exchange or mixer.'),
          kind: z.enum(['exchange', 'mixer']),
          in: used,
          out: used,
          latest: transfer,
        }),
      )
      .meta({ description: 'Exchanges and mixers used, the latest first.' }),
    lookalikes: z.array(
      z.object({
        role: z.enum(['imitation', 'victim']).meta({ description: 'What the subject is.' }),
        address: address('Which was made to look like another one.'),
        of: address('Which it looks like.'),
        victim: address('Who dealt with both.'),
        signature: transaction,
        time: unixSeconds('When the victim met the imitation.'),
      }),
    ),
    meta: z.object({
      chain: chainName,
      scope: z.enum(['full', 'partial', 'database']).meta({
        description:
          'database: only labels are known, and nothing is charged. partial: `detail` says what is missing.',
      }),
      detail: text('What is missing, as sentences; null where nothing is.').nullable(),
      transactions_read: count('Transactions whose rows were read one by one.'),
      complete: z.boolean().meta({ description: 'Whether the whole history was read.' }),
      data_from: unixSeconds('Since when the index has no gap; null where nothing is indexed.').nullable(),
      data_to: unixSeconds('Newest indexed block; null where nothing is indexed.').nullable(),
      index_head: z.int().nullable().meta({ description: 'Number of the newest indexed block.' }),
      charged: count('Analyses that the call costs.'),
    }),
  })
  .meta({ id: 'AnalyzeAnswer', description: 'Who an address is, what it did, and its risk.' });

export type AnalyzeAnswer = z.infer<typeof analyzeAnswer>;
