import { z } from 'zod';
import { EVIDENCE_FAMILIES } from '../../investigate/trace/trace-answer.ts';
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
    family: z.enum(EVIDENCE_FAMILIES).meta({ description: 'Kind of evidence.' }),
    detail: z.string().meta({ description: 'The evidence as a sentence ready to show.' }),
    signatures: z
      .array(signature('A transaction that shows it.'))
      .meta({ description: 'Transactions that show it.' }),
    transactions: z
      .array(
        z.object({
          signature: signature('The transaction.'),
          time: unixSeconds('When it was.'),
          amount: orNull(amount('What it moved.'), 'nothing traceable.'),
          amount_raw: orNull(amountRaw('What it moved.'), 'nothing traceable.'),
          asset: orNull(text('Symbol.'), 'nothing traceable.'),
        }),
      )
      .meta({ description: 'The same with time, amount and asset.' }),
  })
  .meta({ id: 'Evidence', description: 'Why a candidate is likely the same person.' });

const candidate = z
  .object({
    address: address('The candidate wallet.'),
    signature: signature('Its transaction with the service.'),
    amount: amount('What it moved.'),
    amount_raw: amountRaw('What it moved.'),
    asset: z.string().meta({ description: 'Symbol, else mint or contract.' }),
    time: unixSeconds('When it was.'),
    delta_seconds: z.int().meta({ description: 'Seconds between it and the anchor.' }),
    tier: z.enum(TIERS).meta({
      description: 'Closeness in time, not likelihood.',
    }),
    confidence: share('Calibrated probability that both have one owner.'),
    crowd: count('Transfers that could have been this one.'),
    via: orNull(address('Deposit address in between.'), 'none.'),
    label: orNull(text('Its name.'), 'no label is known.'),
    same_wallet: z.boolean().meta({ description: 'Whether it is the anchor wallet.' }),
    evidence: z.array(evidence).meta({ description: 'Empty: only amount and time fit.' }),
    transfers: count('Its fitting transfers.'),
    first_seen: orNull(unixSeconds('First indexed transfer.'), 'unknown.'),
  })
  .meta({ id: 'Candidate', description: 'A wallet on the other side of the service.' });

/** The body of a good answer of POST /trace. */
export const traceAnswer = z
  .object({
    entity: z.string().meta({ description: 'Name of the mixer or exchange.' }),
    kind: z.enum(['mixer', 'exchange']).meta({ description: 'Which of both.' }),
    direction: z
      .enum(['forward', 'backward'])
      .meta({ description: 'forward from a deposit, backward from a withdrawal.' }),
    anchor: z
      .object({
        signature: signature('The transfer that is traced.'),
        amount: amount('What it moved.'),
        amount_raw: amountRaw('What it moved.'),
        asset: z.string().meta({ description: 'Symbol; USD where any stablecoin fits.' }),
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
          .meta({ description: 'Where the request contradicts the transaction.' }),
        verified: z.boolean().meta({
          description: 'Whether the transaction is indexed; if not, the request is believed.',
        }),
      })
      .meta({ id: 'Anchor', description: 'The transfer that is traced.' }),
    window: z
      .object({
        from: unixSeconds('First second.'),
        to: unixSeconds('Last second.'),
        searched: z
          .array(address('A wallet of the service.'))
          .meta({ description: 'Wallets of the service, at most 1,000.' }),
        searched_total: count('All of them, shown or not.'),
        transactions: count('Fitting transfers read.'),
        complete: z.boolean().meta({ description: 'false: a busy wallet was read only in part.' }),
      })
      .meta({ id: 'Window', description: 'What was searched.' }),
    anonymity_set: count('Fitting transfers.'),
    excluded: count('Fitting transfers of known services and contracts.'),
    candidates: z.array(candidate).meta({ description: 'Candidates, best first.' }),
    candidates_total: count('All of them, shown or not.'),
    meta: z
      .object({
        chain: chainName,
        scope,
        detail: orNull(text('What is missing, or what was searched in vain.'), 'nothing.'),
        ...indexSpan,
        index_head: indexHead,
        explorer: basis.explorer.optional(),
        ...readingMeta,
        calibration: text('Version of the model behind `confidence`.'),
      })
      .meta({ description: 'What the answer rests on.' }),
    continuation,
  })
  .meta({ id: 'TraceAnswer', description: 'Wallets on the other side of a mixer or exchange.' });

export type TraceAnswer = z.infer<typeof traceAnswer>;
