import { z } from 'zod';
import { METHODS, NO_VICTIM_REASONS } from '../../investigate/victims/victims-report.ts';
import {
  address,
  amount,
  chainName,
  count,
  indexSpan,
  label,
  orNull,
  scope,
  share,
  signature,
  text,
  unixSeconds,
  usd,
  usdSource,
} from '../contract/fields.ts';

const raw = (what: string) =>
  z.string().meta({ description: `${what} In the smallest unit, exact, as decimal digits.` });

const asset = z.object({
  symbol: orNull(text('Symbol of the asset.'), 'nothing trustworthy names it.'),
  address: orNull(address('Mint or contract.'), 'the coin of the chain.'),
  decimals: orNull(
    z.int().meta({ description: 'Decimals of the asset.' }),
    'unknown, and amounts are raw units.',
  ),
});

const openGrant = z
  .object({
    kind: z.enum(['allowance', 'delegate', 'authority', 'code']).meta({
      description:
        'What the holder let the hand do. allowance: take a token. delegate: move what a token account holds. authority: own or close an account or wallet. code: have the wallet run its code.',
    }),
    holder: address('Whose it is, victim or not yet.'),
    label: label('Who the holder is.'),
    hand: address('Who may take it: the address that was asked about, or who took for it.'),
    subject: address('The token, token account or wallet concerned.'),
    asset: orNull(asset.meta({ description: 'What may be taken.' }), 'no single asset is concerned.'),
    amount: orNull(amount('What may still be taken.'), 'everything, or no amount.'),
    amount_raw: orNull(raw('What may still be taken.'), 'everything, or no amount.'),
    held: orNull(amount('What the holder has of it now.'), 'there is no single asset.'),
    held_raw: orNull(raw('What the holder has of it now.'), 'there is no single asset.'),
    signature: signature('The transaction that opened it.'),
    time: unixSeconds('When it was opened.'),
    can_revoke: z.boolean().meta({ description: 'Whether the holder can take it back.' }),
    detail: z.string().meta({ description: 'What the holder must do, as a sentence ready to show.' }),
  })
  .meta({ id: 'OpenGrant', description: 'What is still open to the address now.' });

const loss = z
  .object({
    asset: asset.meta({ description: 'What was lost.' }),
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
    method: z.enum(METHODS).meta({
      description:
        'How it was taken. transfer: the victim signed the payment. approval: a spender used an allowance. delegate: a delegate moved it. authority: the account was handed over. close_account: the account was closed by another. permit: by an allowance signed off chain. signed_order: a market took it for an order signed off chain. poisoned: paid to a look-alike of a known address.',
    }),
    intended: orNull(address('Whom a poisoned payment was meant for.'), 'another method.'),
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
  .meta({ id: 'Victim', description: 'Who lost something to the address.' });

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
          signatures: z
            .array(signature('A transaction that it shared.'))
            .meta({ description: 'Some of them, the latest.' }),
        }),
      )
      .meta({ description: 'Partners that split the loot.' }),
    not_victims: z
      .array(
        z.object({
          address: address('Who paid the address and is no victim.'),
          label: label('Who it is.'),
          reason: z
            .enum(NO_VICTIM_REASONS)
            .meta({ description: 'Why it is none; `detail` says it in words.' }),
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
        usd: usd('What all victims lost, refunds taken off, as far as it is known.'),
        unpriced: count('Losses without a known price, which `usd` leaves out.'),
        refunded: count('Wallets whose losses were paid back.'),
        refunded_usd: usd('What was paid back to anybody, as far as it is known.'),
        not_victims: count('Who paid the address and is no victim, shown or not.'),
      })
      .meta({ id: 'VictimsTotals', description: 'Sums over all victims, shown or not.' }),
    meta: z
      .object({
        chain: chainName,
        scope: scope('nothing is known of the address; free.'),
        detail: orNull(text('What is missing, as sentences.'), 'nothing is.'),
        transactions_read: count('Transactions of the address that were looked through.'),
        ...indexSpan,
      })
      .meta({ description: 'What the answer rests on.' }),
  })
  .meta({ id: 'VictimsAnswer', description: 'Who lost what to an address.' });

export type VictimsAnswer = z.infer<typeof victimsAnswer>;
