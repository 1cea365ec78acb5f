import { z } from 'zod';
import { METHODS, NO_VICTIM_REASONS } from '../../investigate/victims/victims-report.ts';
import {
  address,
  amount,
  chainName,
  count,
  label,
  share,
  signature,
  unixSeconds,
  usd,
  usdSource,
} from '../contract/fields.ts';

const raw = (what: string) =>
  z.string().meta({ description: `${what} In the smallest unit, exact, as decimal digits.` });

const asset = z.object({
  symbol: z.string().nullable().meta({ description: 'null where nothing trustworthy names it.' }),
  address: address('Mint or contract; null for the coin of the chain.').nullable(),
  decimals: z.int().nullable().meta({ description: 'null where unknown: amounts are then raw.' }),
});

const openGrant = z
  .object({
    kind: z
      .enum(['allowance', 'delegate', 'authority', 'code'])
      .meta({ description: 'What its holder let the hand do.' }),
    holder: address('Whose it is, victim or not yet.'),
    label: label('Who the holder is.'),
    hand: address('Who may take it: the address that was asked about, or who took for it.'),
    subject: address('The token, token account or wallet concerned.'),
    asset: asset.nullable().meta({ description: 'null where no single asset is concerned.' }),
    amount: amount('What may still be taken; null: everything, or no amount.').nullable(),
    amount_raw: raw('What may still be taken; null: everything, or no amount.').nullable(),
    held: amount('What the holder has of it now; null without an asset.').nullable(),
    held_raw: raw('What the holder has of it now; null without an asset.').nullable(),
    signature: signature('The transaction that opened it.'),
    time: unixSeconds('When it was opened.'),
    can_revoke: z.boolean().meta({ description: 'Whether the holder can take it back.' }),
    detail: z.string().meta({ description: 'What the holder must do, as a sentence ready to show.' }),
  })
  .meta({ id: 'OpenGrant', description: 'What is still open to the address now.' });

const loss = z
  .object({
    asset,
    amount: amount('What the victim lost, the parts of partners included.'),
    amount_raw: raw('What the victim lost.'),
    received: amount('What of it the address itself got.'),
    received_raw: raw('What of it the address itself got.'),
    refunded: amount('What of it was paid back later.'),
    refunded_raw: raw('What of it was paid back later.'),
    usd: usd('What the amount was worth.'),
    usd_source: usdSource,
    signature: signature('The transaction that took it.'),
    time: unixSeconds('When it was taken.'),
    method: z.enum(METHODS).meta({ description: 'How it was taken.' }),
    intended: address('Whom a poisoned payment was meant for; null for other methods.').nullable(),
  })
  .meta({ id: 'Loss', description: 'One asset that a victim lost in one transaction.' });

const victim = z
  .object({
    address: address('Who lost it.'),
    label: label('Who it is.'),
    losses: z.array(loss).meta({ description: 'In order of time.' }),
    usd: usd('What was lost, refunds taken off.'),
    refunded_usd: usd('What was paid back.'),
    first: unixSeconds('The first loss.'),
    last: unixSeconds('The last loss.'),
  })
  .meta({ id: 'Victim' });

/** The body of a good answer of POST /victims. */
export const victimsAnswer = z
  .object({
    chain: chainName,
    address: address('The address that was asked about.'),
    label: label('Who it is.'),
    victims: z.array(victim).meta({ description: 'The largest loss first, `limit` of them at most.' }),
    refunded: z.array(victim).meta({ description: 'Whose losses were paid back.' }),
    affiliates: z
      .array(
        z.object({
          address: address('Who got a part of what several victims lost, in the same transactions.'),
          label: label('Who it is.'),
          share: share('The mean of its parts.'),
          victims: count('Victims whose losses it shared.'),
          transactions: count('Transactions that it shared.'),
          usd: usd('What it got in them.'),
          signatures: z.array(signature('A transaction that it shared.')),
        }),
      )
      .meta({ description: 'Partners that split the loot.' }),
    not_victims: z
      .array(
        z.object({
          address: address('Who paid the address and is no victim.'),
          label: label('Who it is.'),
          reason: z.enum(NO_VICTIM_REASONS).meta({ description: 'Why it is none.' }),
          detail: z.string().meta({ description: 'The reason as a sentence ready to show.' }),
          transactions: count('In how many transactions.'),
        }),
      )
      .meta({ description: 'At most 100, who paid most often first.' }),
    revocable: z.array(openGrant).meta({
      description: 'What is still open to the same hands, as far as kept events tell. At most 100.',
    }),
    totals: z
      .object({
        victims: count('Victims, shown or not.'),
        transfers: count('Transactions that took something.'),
        usd: z.number().meta({ description: 'What all victims lost, refunds taken off. US dollars.' }),
        unpriced: count('Losses without a known price, which `usd` leaves out.'),
        refunded: count('Wallets whose losses were paid back.'),
        refunded_usd: z.number().meta({ description: 'What was paid back to anybody. US dollars.' }),
        not_victims: count('Who paid the address and is no victim, shown or not.'),
      })
      .meta({ id: 'VictimsTotals' }),
    meta: z.object({
      chain: chainName,
      scope: z.enum(['full', 'partial', 'no_data']).meta({
        description:
          'partial: `detail` says what is missing. no_data: nothing is known of the address; free.',
      }),
      detail: z
        .string()
        .nullable()
        .meta({ description: 'What is missing, as sentences; null where nothing is.' }),
      transactions_read: count('Transactions of the address that were looked through.'),
      data_from: unixSeconds(
        'Since when the chain is indexed without a gap; null where it is not.',
      ).nullable(),
      data_to: unixSeconds('Newest indexed block of the chain; null where nothing is indexed.').nullable(),
    }),
  })
  .meta({ id: 'VictimsAnswer', description: 'Who lost what to an address.' });

export type VictimsAnswer = z.infer<typeof victimsAnswer>;
