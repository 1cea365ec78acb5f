import { z } from 'zod';
import { BEHAVIOUR_NAMES } from '../../investigate/analyze/behaviours/behaviour.ts';
import { IDENTITY_TYPES } from '../../investigate/analyze/profile.ts';
import { continuation, readingMeta } from '../asking/reading-fields.ts';
import {
  address,
  amount,
  amountRaw,
  basis,
  chainName,
  count,
  indexHead,
  indexSpan,
  label,
  orNull,
  share,
  signature,
  text,
  unixSeconds,
  usd,
} from '../contract/fields.ts';
import { frozenAnswer, programAnswer, tokenAnswer } from './control-answer.ts';
import { asset, direction, risk, said, severity, transaction } from './risk-answer.ts';

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
