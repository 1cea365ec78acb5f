import { z } from 'zod';
import { EVIDENCE_FAMILIES } from '../../investigate/trace/trace-answer.ts';
import {
  address,
  amount,
  amountRaw,
  chainName,
  count,
  indexHead,
  indexSpan,
  orNull,
  scope,
  share,
  signature,
  text,
  unixSeconds,
} from '../contract/fields.ts';

const TIERS = ['trivial', 'strong', 'likely', 'weak', 'loose', 'distant'] as const;

const evidence = z
  .object({
    family: z.enum(EVIDENCE_FAMILIES).meta({ description: 'Which kind of evidence it is.' }),
    detail: z.string().meta({ description: 'What it is, as a sentence ready to show.' }),
    signatures: z
      .array(signature('A transaction that shows it.'))
      .meta({ description: 'Transactions that show it.' }),
    transactions: z
      .array(
        z.object({
          signature: signature('The same transaction.'),
          time: unixSeconds('When it was.'),
          amount: orNull(
            amount('What moved there from or to one of the two wallets.'),
            'no coin or stablecoin moved.',
          ),
          amount_raw: orNull(
            amountRaw('What moved there from or to one of the two wallets.'),
            'no coin or stablecoin moved.',
          ),
          asset: orNull(text('Symbol of what moved.'), 'no coin or stablecoin moved.'),
        }),
      )
      .meta({ description: 'The signatures with time, amount and asset.' }),
  })
  .meta({ id: 'Evidence', description: 'Why a candidate is likely the same person.' });

const candidate = z
  .object({
    address: address('The candidate wallet.'),
    signature: signature('Its transaction with the service.'),
    amount: amount('What it got, or paid in.'),
    amount_raw: amountRaw('What it got, or paid in.'),
    asset: z.string().meta({ description: 'Symbol, or the mint or contract where it has none.' }),
    time: unixSeconds('When its transaction was.'),
    delta_seconds: z.int().meta({ description: 'Seconds between its transaction and the anchor.' }),
    tier: z.enum(TIERS).meta({
      description: 'How close in time it is, trivial the closest; not a grade of likelihood.',
    }),
    confidence: share('Calibrated probability that its owner is the owner of the anchor.'),
    crowd: count('How many transfers could have been this one.'),
    via: orNull(address('Deposit address at an exchange that the funds went through.'), 'through none.'),
    label: orNull(text('Name of the candidate.'), 'no label is known.'),
    same_wallet: z.boolean().meta({ description: 'Whether it is the anchor wallet itself.' }),
    evidence: z.array(evidence).meta({ description: 'Empty: only amount and time fit.' }),
    transfers: count('How many of its transfers in the window fit.'),
    first_seen: orNull(unixSeconds('Its earliest known transfer.'), 'none is known.'),
  })
  .meta({ id: 'Candidate', description: 'A wallet on the other side of the service.' });

/** The body of a good answer of POST /trace. */
export const traceAnswer = z
  .object({
    entity: z.string().meta({ description: 'Name of the mixer or exchange.' }),
    kind: z.enum(['mixer', 'exchange']).meta({ description: 'Which of both it is.' }),
    direction: z
      .enum(['forward', 'backward'])
      .meta({ description: 'forward from a deposit, backward from a withdrawal.' }),
    anchor: z
      .object({
        signature: signature('The transfer that is traced.'),
        amount: amount('What it moved.'),
        amount_raw: amountRaw('What it moved.'),
        asset: z
          .string()
          .meta({ description: 'Symbol of what it moved; USD where it may have been any stablecoin.' }),
        time: unixSeconds('When it was.'),
        corrections: z
          .array(
            z.object({
              field: z.enum(['time', 'sol', 'usd']).meta({ description: 'Field of the request.' }),
              said: z.number().meta({ description: 'What the request says.' }),
              found: z.number().meta({ description: 'What the transaction says, which is believed.' }),
              detail: z.string().meta({ description: 'The same as a sentence.' }),
            }),
          )
          .meta({ description: 'Where the request contradicts the indexed transaction.' }),
        verified: z.boolean().meta({
          description: 'Whether the transaction is indexed. If not, amount and time are as the request says.',
        }),
      })
      .meta({ id: 'Anchor', description: 'The transfer that is traced.' }),
    window: z
      .object({
        from: unixSeconds('First second that was searched.'),
        to: unixSeconds('Last second that was searched.'),
        searched: z.array(address('A wallet of the service.')).meta({ description: 'At most 1,000.' }),
        searched_total: count('How many wallets of the service were searched.'),
        transactions: count('Fitting transfers that were read.'),
        complete: z.boolean().meta({ description: 'false: a busy wallet was read only in part.' }),
      })
      .meta({ id: 'Window', description: 'What was searched.' }),
    anonymity_set: count('How many transfers fit; 1 means that only one does.'),
    excluded: count('Transfers that fit but belong to somebody known: a service or a contract.'),
    candidates: z.array(candidate).meta({ description: 'Best first.' }),
    candidates_total: count('How many candidates there are, shown or not.'),
    meta: z
      .object({
        chain: chainName,
        scope: scope('nothing of the time is indexed; free.'),
        detail: orNull(
          text('What is missing and, where nobody fits, what was searched.'),
          'there is nothing to say.',
        ),
        ...indexSpan,
        index_head: indexHead,
        calibration: text('Version of the model behind `confidence`.'),
      })
      .meta({ description: 'What the answer rests on.' }),
  })
  .meta({ id: 'TraceAnswer', description: 'Wallets on the other side of a mixer or exchange.' });

export type TraceAnswer = z.infer<typeof traceAnswer>;
