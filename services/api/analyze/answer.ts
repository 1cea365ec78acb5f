import { z } from 'zod';
import { BEHAVIOUR_NAMES, SEVERITIES } from '../../investigate/analyze/behaviours/behaviour.ts';
import { IDENTITY_TYPES } from '../../investigate/analyze/profile.ts';
import { LEVELS } from '../../investigate/analyze/risk/score.ts';
import { LABEL_KINDS } from '../../investigate/model/label.ts';
import { continuation, readingMeta } from '../asking/reading-fields.ts';
import {
  address,
  amount,
  amountRaw,
  basis,
  chainName,
  count,
  decimals,
  indexHead,
  indexSpan,
  label,
  labelKind,
  orNull,
  share,
  signature,
  symbol,
  text,
  unixSeconds,
  usd,
} from '../contract/fields.ts';
import { frozenAnswer, programAnswer, tokenAnswer } from './control-answer.ts';

const severity = z.enum(SEVERITIES).meta({ description: 'How bad it is.' });
const direction = z.enum(['in', 'out']).meta({ description: 'in: to the subject. out: from it.' });
const transaction = orNull(signature('The transaction.'), 'not found in time.');
const version = (what: string) => z.int().meta({ description: what });
const score = z.number().min(0).max(100);
const level = z.enum(LEVELS);

const asset = z
  .object({
    symbol,
    address: text('Mint or contract; `native` for the coin of the chain.'),
    decimals,
  })
  .meta({ id: 'ProfileAsset', description: 'The asset.' });

const said = z
  .object({
    name: text('Name of the party.'),
    kind: labelKind,
    entity: orNull(text('The organisation behind it.'), 'unknown.'),
    category: orNull(text("The source's own word for the kind."), 'none.'),
    source: text('The list.'),
    creator: orNull(text('Who entered it.'), 'unknown.'),
    confidence: share('Certainty of the source.'),
    evidence: orNull(text('Where to check it.'), 'unknown.'),
    updated_at: unixSeconds('Last confirmed.'),
    valid_from: orNull(unixSeconds('Valid from.'), 'always.'),
    valid_to: orNull(unixSeconds('Valid until.'), 'still.'),
    inherited_from: orNull(
      text('Address whose label it inherits; of another chain as `chain:address`.'),
      'none.',
    ),
  })
  .meta({ id: 'SaidLabel', description: 'What one source says of the address.' });

const step = {
  from: address('Sender.'),
  to: address('Recipient.'),
  signature: transaction,
  time: unixSeconds('When it was.'),
  asset,
  amount: amount('What it moved.'),
  amount_raw: amountRaw('What it moved.'),
  usd: z.number().meta({ description: "The subject's money in this payment. US dollars at the time." }),
};

const evidence = z
  .object({
    ...{ from: step.from.optional(), to: step.to.optional(), signature: transaction, time: step.time },
    ...{ asset: asset.optional(), amount: step.amount.optional(), amount_raw: step.amount_raw.optional() },
    usd: step.usd.optional(),
    counterparty: address('The party that the reason names.').optional(),
    label: label('Its label.').optional(),
  })
  .meta({ id: 'RiskEvidence', description: 'A transaction to check.' });

const exposed = z
  .object({
    usd: z.number().meta({
      description: 'From or to such parties. US dollars at the time.',
    }),
    share: share('Part of all that came in or went out.'),
    min_hops: orNull(count('Hops to the nearest; 1: direct.'), 'none was found.'),
    direct_usd: z.number().meta({ description: 'The direct part. US dollars.' }),
    indirect_usd: z.number().meta({ description: 'The part through unlabelled wallets. US dollars.' }),
  })
  .meta({ id: 'ExposedKind', description: 'Money from or to one kind of party.' });

const exposureSide = z
  .object({
    ...(Object.fromEntries(LABEL_KINDS.map((kind) => [kind, exposed])) as Record<
      (typeof LABEL_KINDS)[number],
      typeof exposed
    >),
    unattributed: z
      .object({
        usd: z.number().meta({ description: 'From or to such parties. US dollars at the time.' }),
        share: share('Part of all that came in or went out.'),
        min_hops: z.null().meta({ description: 'Always null.' }),
      })
      .meta({ description: 'Money of which no known party was found.' }),
  })
  .meta({ description: 'By kind of party; shares add up to 1.' });

const exposureRead = z
  .object({
    total_usd: z.number().meta({ description: 'All that moved. US dollars at the time.' }),
    wallets: count('Unlabelled wallets read.'),
    stopped: count('Wallets not looked through: busy ones and contracts that pay strangers.'),
    left_out_usd: z.number().meta({ description: 'Money behind unread wallets. US dollars at the time.' }),
  })
  .meta({ description: 'What was read.' });

/** The same for what came in and what went out. */
const bothSides = <T extends z.ZodType>(of: T) =>
  z.object({
    in: orNull(of, 'nothing with a price.'),
    out: orNull(of, 'nothing with a price.'),
  });

const risk = z
  .object({
    level: z.enum([...LEVELS, 'unknown']).meta({
      description:
        'none: what `basis` names was read and gave no reason. unknown: too little was read, which never means clean.',
    }),
    score: orNull(score.meta({ description: 'From 0, no risk found, to 100.' }), 'the level is unknown.'),
    basis: text('How much was read.'),
    reasons: z
      .array(
        z
          .object({
            code: text('The signal; GET /signals explains it.'),
            severity,
            weight: share('Default weight.'),
            strength: share('How strongly it fires.'),
            detail: text('The reason as a sentence ready to show.'),
            evidence: z.array(evidence).meta({ description: 'Transactions that show it.' }),
            path: z
              .array(z.object(step).meta({ id: 'PathStep', description: 'One payment of the path.' }))
              .meta({
                description: 'Of indirect exposure: the path of most of it, oldest payment first.',
              }),
          })
          .meta({ id: 'RiskReason', description: 'A signal that fired.' }),
      )
      .meta({ description: 'Reasons, strongest first.' }),
    exposure: bothSides(exposureSide).meta({ description: 'Sources and destinations of its money.' }),
    exposure_read: bothSides(exposureRead).meta({ description: 'How far exposure was searched.' }),
    would_change: z
      .array(
        z.object({
          without: z
            .object({
              signal: text('The signal.').optional(),
              label: z
                .object({ address: address('Its address.'), name: text('Its name.') })
                .optional()
                .meta({ description: 'The label.' }),
            })
            .meta({ description: 'A signal or a label.' }),
          retraced: z.boolean().meta({
            description: 'Whether the money behind a label was searched, else it is unattributed.',
          }),
          level: level.meta({ description: 'The level then.' }),
          score: score.meta({ description: 'The score then, 0 to 100.' }),
        }),
      )
      .meta({
        description: 'Every single signal or label whose absence changes the level.',
      }),
    versions: z
      .object({
        score: version('Version of the formula.'),
        signals: version('Version of the list of signals.'),
      })
      .meta({ description: 'Do not compare scores of two versions.' }),
  })
  .meta({ id: 'Risk', description: 'How risky the address is, and why.' });

const funder = {
  address: address('The funder.'),
  funded: address('The wallet that got its first coin.'),
  label: label('Its label.'),
  amount: amount('What it moved.'),
  amount_raw: amountRaw('What it moved.'),
  asset: text('Symbol of the coin.'),
  signature: transaction,
  time: unixSeconds('When it was.'),
};

const transfer = z
  .object({
    direction,
    counterparty: address('The other party.'),
    asset,
    amount: amount('What it moved.'),
    amount_raw: amountRaw('What it moved.'),
    usd: usd('Worth of the amount.'),
    signature: transaction,
    time: unixSeconds('When it was.'),
  })
  .meta({ id: 'ProfileTransfer', description: 'One transfer.' });

const side = z
  .object({
    count: count('Transfers.'),
    usd: usd('Their sum, as far as priced.'),
    first: orNull(unixSeconds('The first.'), 'none.'),
    last: orNull(unixSeconds('The last.'), 'none.'),
    largest: orNull(transfer.meta({ description: 'The largest by dollars.' }), 'none.'),
  })
  .meta({ id: 'ConnectionSide', description: 'Transfers in one direction.' });

const connection = z
  .object({
    address: address('The counterparty.'),
    label: label('Its label.'),
    in: side.meta({ description: 'To the subject.' }),
    out: side.meta({ description: 'From the subject.' }),
    transfers: z
      .array(
        z.object({
          signature: transaction,
          time: unixSeconds('When it was.'),
          direction,
          counterparty: address('The mixer or exchange.'),
          asset: orNull(text('Symbol of the asset.'), 'no trusted source names it.'),
          amount: amount('The largest part.'),
          amount_raw: amountRaw('The largest part.'),
          sol: z.number().meta({ description: 'Coin of the chain moved. In whole units.' }),
          usd: z.number().meta({
            description: 'Stablecoins moved. US dollars.',
          }),
          worth_usd: usd('Worth of the largest part.'),
        }),
      )
      .meta({
        description: 'Only mixers and exchanges: requests for POST /trace, which also needs `wallet`.',
      }),
  })
  .meta({ id: 'Connection', description: 'A counterparty.' });

const used = (what: string) =>
  z
    .object({ count: count('Transfers.'), usd: usd('Their sum, as far as priced.') })
    .meta({ description: what });

const NEITHER = 'its history is incomplete and no node answered.';

/** The body of a good answer of POST /analyze. */
export const analyzeAnswer = z
  .object({
    address: address('The address of the request.'),
    chain: chainName,
    identity: z
      .object({
        type: orNull(z.enum(IDENTITY_TYPES).meta({ description: 'What it is.' }), 'unknown.'),
        name: orNull(text('Name of the party.'), 'no label.'),
        entity: orNull(text('The organisation behind it.'), 'unknown.'),
        owner: orNull(text('Of a deposit address: the exchange.'), 'no deposit address.'),
        predicted: z
          .object({
            type: z.enum(IDENTITY_TYPES).meta({ description: 'What it seems to be.' }),
            confidence: share('Certainty.'),
            why: text('What suggests it.'),
          })
          .nullable()
          .meta({
            description: 'A guess for an unlabelled address. null: none.',
          }),
      })
      .meta({ id: 'Identity', description: 'Who the address is.' }),
    labels: z.array(said).meta({ description: 'What each source says. Empty does not mean clean.' }),
    risk,
    funding: z
      .object({
        ...funder,
        seen_in: orNull(
          text('Which blocks show it; an earlier payment may be missing.'),
          'it was the first.',
        ),
        chain: z.array(z.object(funder)).meta({ description: 'Its funder, the funder of that, and so on.' }),
        end: z.enum(['service', 'labelled', 'unknown', 'unread', 'steps', 'loop']).meta({
          description:
            'service: exchange, mixer or bridge. labelled: another known party. unknown: no earlier funder. unread: not all of its history is indexed. steps: it goes on. loop: it returns.',
        }),
      })
      .meta({ id: 'Funding', description: 'Who sent its first coin.' })
      .nullable()
      .meta({ description: 'Who sent its first coin. null: unknown.' }),
    activity: z
      .object({
        seen_in: orNull(text('Which part of its history all this covers.'), 'all of it.'),
        first_seen: unixSeconds('First transaction of that part.'),
        last_seen: unixSeconds('Newest transaction.'),
        transactions: count('Transactions.'),
        transfers_in: count('Incoming transfers.'),
        transfers_out: count('Outgoing transfers.'),
        counterparties: count('Distinct counterparties.'),
        usd_in: usd('Incoming, without swaps; null also where only a part was read.'),
        usd_out: usd('Outgoing, without swaps; null also where only a part was read.'),
      })
      .nullable()
      .meta({ description: 'Sums over its history. null: none is indexed.' }),
    frozen: frozenAnswer(asset),
    token: orNull(tokenAnswer, 'the address is none.'),
    program: orNull(programAnswer, 'the address is none.'),
    balances: z
      .array(
        z.object({
          asset,
          amount: orNull(amount('Balance.'), NEITHER),
          amount_raw: orNull(amountRaw('Balance.'), NEITHER),
          usd: usd('Worth now.'),
          source: orNull(
            z.enum(['rows', 'node']).meta({
              description: 'rows: sum of its whole history. node: by a node now.',
            }),
            'amount unknown.',
          ),
        }),
      )
      .meta({
        description: 'Balances of the coin and of the assets it used.',
      }),
    behaviours: z
      .array(
        z
          .object({
            name: z.enum(BEHAVIOUR_NAMES).meta({ description: 'The pattern.' }),
            confidence: share('Certainty.'),
            severity,
            detail: text('The pattern as a sentence ready to show.'),
            evidence: z
              .array(signature('A transaction that shows it.'))
              .meta({ description: 'Transactions that show it.' }),
          })
          .meta({ id: 'Behaviour', description: 'A pattern in its payments.' }),
      )
      .meta({ description: 'Patterns in its payments.' }),
    connections: z
      .array(connection)
      .meta({ description: 'Counterparties: labelled ones first, then by dollars.' }),
    services: z
      .array(
        z.object({
          name: text('The exchange or mixer.'),
          kind: z.enum(['exchange', 'mixer']).meta({ description: 'Which of both.' }),
          in: used('To the subject.'),
          out: used('From the subject.'),
          latest: transfer.meta({ description: 'The latest transfer with it.' }),
        }),
      )
      .meta({ description: 'Exchanges and mixers used, latest first.' }),
    lookalikes: z
      .array(
        z.object({
          role: z.enum(['imitation', 'victim']).meta({
            description: 'imitation: the subject is the look-alike. victim: it was sent one.',
          }),
          address: address('The look-alike.'),
          of: address('The address it imitates.'),
          seen_in: orNull(
            text('Which blocks show that it is the newer one; earlier ones may be missing.'),
            'it is the newer one.',
          ),
          victim: address('The wallet that dealt with both.'),
          signature: transaction,
          time: unixSeconds('When it was.'),
        }),
      )
      .meta({ description: 'Address poisoning.' }),
    meta: z
      .object({
        chain: chainName,
        scope: z.enum(['full', 'partial', 'database']).meta({
          description:
            'full: all needed data is indexed. partial: `detail` says what is missing. database: only labels are known; free.',
        }),
        detail: orNull(text('What is missing, as sentences.'), 'nothing is.'),
        transactions_read: count('Transactions read in detail.'),
        complete: z.boolean().meta({ description: 'Whether the whole history was read.' }),
        ...indexSpan,
        index_head: indexHead,
        ...basis,
        ...readingMeta,
        charged: count('Analyses charged.'),
      })
      .meta({ description: 'What the answer rests on.' }),
    continuation,
  })
  .meta({ id: 'AnalyzeAnswer', description: 'Who an address is, what it did, and its risk.' });

export type AnalyzeAnswer = z.infer<typeof analyzeAnswer>;
