import { z } from 'zod';
import { SEVERITIES } from '../../investigate/analyze/behaviours/behaviour.ts';
import { LEVELS } from '../../investigate/analyze/risk/score.ts';
import { LABEL_KINDS } from '../../investigate/model/label.ts';
import {
  address,
  amount,
  amountRaw,
  count,
  decimals,
  label,
  labelKind,
  orNull,
  share,
  signature,
  symbol,
  text,
  unixSeconds,
} from '../contract/fields.ts';

export const severity = z.enum(SEVERITIES).meta({ description: 'How bad it is.' });
export const direction = z.enum(['in', 'out']).meta({ description: 'in: to the subject. out: from it.' });
export const transaction = orNull(signature('The transaction.'), 'not found in time.');
const version = (what: string) => z.int().meta({ description: what });
const score = z.number().min(0).max(100);
const level = z.enum(LEVELS);

export const asset = z
  .object({
    symbol,
    address: text('Mint or contract; `native` for the coin of the chain.'),
    decimals,
  })
  .meta({ id: 'ProfileAsset', description: 'The asset.' });

export const said = z
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

export const risk = z
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
