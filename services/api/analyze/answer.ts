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
  indexHead,
  indexSpan,
  label,
  labelKind,
  orNull,
  share,
  signature,
  text,
  unixSeconds,
  usd,
} from '../contract/fields.ts';
import { frozenAnswer, programAnswer, tokenAnswer } from './control-answer.ts';

const severity = z.enum(SEVERITIES).meta({ description: 'How bad it is where it holds.' });
const direction = z.enum(['in', 'out']).meta({ description: 'in: it came to the subject.' });
const transaction = orNull(signature('The transaction.'), 'it could not be named in time.');
const version = (what: string) => z.int().meta({ description: `${what} Counts up.` });
const score = z.number().min(0).max(100);
const level = z.enum(LEVELS);

const asset = z
  .object({
    symbol: orNull(text('Symbol of the asset.'), 'nothing trustworthy names it.'),
    address: text('Mint or contract; `native` for the coin of the chain.'),
    decimals: orNull(
      z.int().meta({ description: 'Decimals of the asset.' }),
      'nobody tells them, and amounts count raw units.',
    ),
  })
  .meta({ id: 'ProfileAsset', description: 'The asset that moved or is held.' });

const said = z
  .object({
    name: text('Who it is.'),
    kind: labelKind,
    entity: orNull(text('The party that it belongs to.'), 'the source names none.'),
    category: orNull(text("The source's own word for the kind."), 'it has none.'),
    source: text('The list that says it.'),
    creator: orNull(text('Who entered it.'), 'the source does not say.'),
    confidence: share('How sure the source is.'),
    evidence: orNull(text('Where it can be checked.'), 'the source does not say.'),
    updated_at: unixSeconds('When the source said it last.'),
    valid_from: orNull(unixSeconds('Since when it is so.'), 'always.'),
    valid_to: orNull(unixSeconds('Until when it was so.'), 'it still is.'),
    inherited_from: orNull(
      address('The address whose label this one follows from.'),
      'the label is its own.',
    ),
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
  usd: z.number().meta({ description: "The subject's money in this payment. US dollars at the time." }),
};

const evidence = z
  .object({
    ...{ from: step.from.optional(), to: step.to.optional(), signature: transaction, time: step.time },
    ...{ asset: asset.optional(), amount: step.amount.optional(), amount_raw: step.amount_raw.optional() },
    usd: step.usd.optional(),
    counterparty: address('The party that the reason speaks of, where there is one.').optional(),
    label: label('Who it is.').optional(),
  })
  .meta({ id: 'RiskEvidence', description: 'A transaction that can be opened in an explorer.' });

const exposed = z
  .object({
    usd: z.number().meta({
      description: 'What moved from or to such parties. US dollars at the time; 0: none was found.',
    }),
    share: share('Part of all that came in (went out).'),
    min_hops: orNull(
      count('Hops to the nearest such party; 1: they dealt directly.'),
      'no such party was found.',
    ),
    direct_usd: z.number().meta({ description: 'The part of `usd` that moved directly. US dollars.' }),
    indirect_usd: z
      .number()
      .meta({ description: 'The part of `usd` that moved through unlabelled wallets. US dollars.' }),
  })
  .meta({ id: 'ExposedKind', description: 'Money from (to) parties of this kind.' });

const exposureSide = z
  .object({
    ...(Object.fromEntries(LABEL_KINDS.map((kind) => [kind, exposed])) as Record<
      (typeof LABEL_KINDS)[number],
      typeof exposed
    >),
    unattributed: z
      .object({
        usd: z
          .number()
          .meta({ description: 'Money of which no known party was found. US dollars at the time.' }),
        share: share('Part of all that came in (went out).'),
        min_hops: z.null().meta({ description: 'Always null: there is no party to count hops to.' }),
      })
      .meta({ description: 'What could not be attributed to anybody.' }),
  })
  .meta({ description: 'By kind of party; all shares add up to 1.' });

const exposureRead = z
  .object({
    total_usd: z.number().meta({ description: 'All that came in (went out). US dollars at the time.' }),
    wallets: count('Unlabelled wallets whose history was read.'),
    stopped: count('Wallets at which the way ended: busy ones, and contracts that pay strangers.'),
    left_out_usd: z
      .number()
      .meta({ description: 'Money behind wallets that were not looked at. US dollars at the time.' }),
  })
  .meta({ description: 'How much was looked at.' });

/** The same for what came in and what went out. */
const bothSides = <T extends z.ZodType>(of: T) =>
  z.object({
    in: orNull(
      of.meta({ description: `Of what came in: ${of.description}` }),
      'nothing with a known price came in.',
    ),
    out: orNull(
      of.meta({ description: `Of what went out: ${of.description}` }),
      'nothing with a known price went out.',
    ),
  });

const risk = z
  .object({
    level: z.enum([...LEVELS, 'unknown']).meta({
      description:
        'How risky the address is. none: looked and found nothing. unknown: nothing is known by which it could be told, which never means clean.',
    }),
    score: orNull(score.meta({ description: 'From 0, nothing was found, to 100.' }), 'the level is unknown.'),
    reasons: z
      .array(
        z
          .object({
            code: text('The signal; GET /signals tells its meaning.'),
            severity,
            weight: share('Default weight of the signal.'),
            strength: share('How fully it holds.'),
            detail: text('The reason as a sentence ready to show.'),
            evidence: z
              .array(evidence)
              .meta({ description: 'Transactions that show it. Empty where the reason rests on none.' }),
            path: z
              .array(z.object(step).meta({ id: 'PathStep', description: 'One payment on the way.' }))
              .meta({
                description:
                  'Of indirect exposure: the way by which most of it came, in the order in which money moved. Else empty.',
              }),
          })
          .meta({ id: 'RiskReason', description: 'A signal that fired.' }),
      )
      .meta({ description: 'Every reason for the level, the weightiest first.' }),
    exposure: bothSides(exposureSide).meta({ description: 'Whom its money came from and went to.' }),
    exposure_read: bothSides(exposureRead).meta({ description: 'How far exposure was looked for.' }),
    would_change: z
      .array(
        z.object({
          without: z
            .object({
              signal: text('The signal that would not have fired.').optional(),
              label: z
                .object({ address: address('The labelled party.'), name: text('Its name.') })
                .optional()
                .meta({ description: 'The label that would not be there.' }),
            })
            .meta({ description: 'What is taken away: a signal or a label.' }),
          retraced: z.boolean().meta({
            description:
              'Of a label: whether the money behind the party was looked for. Else it counts as unattributed.',
          }),
          level: level.meta({ description: 'The level without it.' }),
          score: score.meta({ description: 'The score without it, 0 to 100.' }),
        }),
      )
      .meta({
        description: 'Each single signal, or label of a party, without which the level would be another.',
      }),
    versions: z
      .object({
        score: version('Version of the formula.'),
        signals: version('Version of the list of signals.'),
      })
      .meta({ description: 'Scores of two versions do not compare.' }),
  })
  .meta({ id: 'Risk', description: 'How risky the address is, and why.' });

const funder = {
  address: address('Who gave the first coin.'),
  funded: address('Whom.'),
  label: label('Who the funder is.'),
  amount: amount('What was given.'),
  amount_raw: amountRaw('What was given.'),
  asset: text('Symbol of the coin that was given.'),
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
  .meta({ id: 'ProfileTransfer', description: 'One transfer.' });

const side = z
  .object({
    count: count('Transfers.'),
    usd: usd('All of them together, of those that have a price.'),
    first: orNull(unixSeconds('When the first was.'), 'there is none.'),
    last: orNull(unixSeconds('When the last was.'), 'there is none.'),
    largest: orNull(transfer.meta({ description: 'The largest by dollars.' }), 'there is none.'),
  })
  .meta({ id: 'ConnectionSide', description: 'Transfers in one direction.' });

const connection = z
  .object({
    address: address('The counterparty.'),
    label: label('Who it is.'),
    in: side.meta({ description: 'What the subject got from it.' }),
    out: side.meta({ description: 'What the subject paid it.' }),
    transfers: z
      .array(
        z.object({
          signature: transaction,
          time: unixSeconds('When it was.'),
          direction,
          counterparty: address('The mixer or exchange.'),
          asset: orNull(text('Symbol of the largest part.'), 'nothing trustworthy names it.'),
          amount: amount('The largest part.'),
          amount_raw: amountRaw('The largest part.'),
          sol: z
            .number()
            .meta({ description: 'Coin of the chain that moved in the transaction. In whole units.' }),
          usd: z.number().meta({
            description:
              'Stablecoins that moved in the transaction, as /trace asks for it. In whole units, which are US dollars.',
          }),
          worth_usd: usd('Worth of the largest part.'),
        }),
      )
      .meta({
        description:
          'Of a mixer or exchange: with `wallet` these are requests that POST /trace takes. Empty for others.',
      }),
  })
  .meta({ id: 'Connection', description: 'Somebody the subject dealt with.' });

const used = (what: string) =>
  z.object({ count: count('Transfers.'), usd: usd('All of them together.') }).meta({ description: what });

const NEITHER = 'its history is not whole and no node told it.';

/** The body of a good answer of POST /analyze. */
export const analyzeAnswer = z
  .object({
    address: address('The address that was asked about.'),
    chain: chainName,
    identity: z
      .object({
        type: orNull(
          z.enum(IDENTITY_TYPES).meta({ description: 'What it is, by labels and by what is kept of it.' }),
          'nothing is known of the address.',
        ),
        name: orNull(text('Who it is.'), 'it has no label.'),
        entity: orNull(text('The party that it belongs to.'), 'no label names one.'),
        owner: orNull(text('The exchange whose customer the address belongs to.'), 'it is no such address.'),
        predicted: z
          .object({
            type: z.enum(IDENTITY_TYPES).meta({ description: 'What it seems to be.' }),
            confidence: share('How sure that is.'),
            why: text('What it did that makes it seem so.'),
          })
          .nullable()
          .meta({
            description:
              'What an address without a label seems to be. It never replaces a label. null: it has one, or seems nothing special.',
          }),
      })
      .meta({ id: 'Identity', description: 'Who the address is.' }),
    labels: z.array(said).meta({ description: 'What each source says of it. Empty does not mean clean.' }),
    risk,
    funding: z
      .object({
        ...funder,
        chain: z.array(z.object(funder)).meta({ description: 'The funder, its funder, and so on.' }),
        end: z.enum(['service', 'labelled', 'unknown', 'steps', 'loop']).meta({
          description:
            'Why the chain ends. service: at an exchange, mixer or bridge. labelled: at another known party. unknown: no earlier funder is known. steps: it is longer than is followed. loop: it comes back.',
        }),
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
      .meta({ description: 'Sums over all that is indexed of it. null: no transaction of it is indexed.' }),
    frozen: frozenAnswer(asset),
    token: tokenAnswer,
    program: programAnswer,
    balances: z
      .array(
        z.object({
          asset,
          amount: orNull(amount('What it holds.'), NEITHER),
          amount_raw: orNull(amountRaw('What it holds.'), NEITHER),
          usd: usd('Worth now.'),
          source: orNull(
            z.enum(['rows', 'node']).meta({
              description: 'rows: the sum of its whole history. node: a node of its chain said it now.',
            }),
            'the amount is not known.',
          ),
        }),
      )
      .meta({
        description: 'What it holds of the coin and of what it dealt in.',
      }),
    behaviours: z
      .array(
        z
          .object({
            name: z
              .enum(BEHAVIOUR_NAMES)
              .meta({ description: 'What its payments look like; `detail` says it in words.' }),
            confidence: share('How sure that is.'),
            severity,
            detail: text('What was seen, as a sentence ready to show.'),
            evidence: z
              .array(signature('A transaction that shows it.'))
              .meta({ description: 'Transactions that show it.' }),
          })
          .meta({ id: 'Behaviour', description: 'A pattern in what it did.' }),
      )
      .meta({ description: 'Patterns in what it did.' }),
    connections: z
      .array(connection)
      .meta({ description: 'Labelled ones first, then the largest by dollars.' }),
    services: z
      .array(
        z.object({
          name: text('The exchange or mixer.'),
          kind: z.enum(['exchange', 'mixer']).meta({ description: 'Which of both it is.' }),
          in: used('What the subject got from it.'),
          out: used('What the subject paid it.'),
          latest: transfer.meta({ description: 'The latest transfer with it.' }),
        }),
      )
      .meta({ description: 'Exchanges and mixers used, the latest first.' }),
    lookalikes: z
      .array(
        z.object({
          role: z.enum(['imitation', 'victim']).meta({
            description: 'What the subject is: the look-alike itself, or whom one was sent to.',
          }),
          address: address('Which was made to look like another one.'),
          of: address('Which it looks like.'),
          victim: address('Who dealt with both.'),
          signature: transaction,
          time: unixSeconds('When the victim met the imitation.'),
        }),
      )
      .meta({ description: 'Address poisoning: addresses made to be mistaken for another one.' }),
    meta: z
      .object({
        chain: chainName,
        scope: z.enum(['full', 'partial', 'database']).meta({
          description:
            'full: all that the answer rests on is indexed. partial: `detail` says what is missing. database: only labels are known; free.',
        }),
        detail: orNull(text('What is missing, as sentences.'), 'nothing is.'),
        transactions_read: count('Transactions whose rows were read one by one.'),
        complete: z.boolean().meta({ description: 'Whether the whole history was read.' }),
        ...indexSpan,
        index_head: indexHead,
        charged: count('Analyses that the call costs.'),
      })
      .meta({ description: 'What the answer rests on.' }),
  })
  .meta({ id: 'AnalyzeAnswer', description: 'Who an address is, what it did, and its risk.' });

export type AnalyzeAnswer = z.infer<typeof analyzeAnswer>;
