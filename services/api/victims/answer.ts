import { z } from 'zod';
import { METHODS, NO_VICTIM_REASONS } from '../../investigate/victims/victims-report.ts';
import { continuation, readingMeta } from '../asking/reading-fields.ts';
import {
  address,
  amount,
  amountRaw,
  asset,
  basis,
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

const openGrant = z
  .object({
    kind: z.enum(['allowance', 'delegate', 'authority', 'code']).meta({
      description:
        'What `hand` may do. allowance: take a token. delegate: move what a token account holds. authority: own or close an account or wallet. code: run its code as the wallet.',
    }),
    holder: address('Owner, victim or not yet.'),
    label: label('Its label.'),
    hand: address('Who may take it.'),
    subject: address('The token, token account or wallet.'),
    asset: orNull(asset.meta({ description: 'What may be taken.' }), 'no single asset.'),
    amount: orNull(amount('What may still be taken.'), 'everything, or no amount.'),
    amount_raw: orNull(amountRaw('What may still be taken.'), 'everything, or no amount.'),
    held: orNull(amount('Balance of the holder.'), 'no single asset, or not all of its history is indexed.'),
    held_raw: orNull(
      amountRaw('Balance of the holder.'),
      'no single asset, or not all of its history is indexed.',
    ),
    signature: signature('The transaction.'),
    time: unixSeconds('When it was.'),
    can_revoke: z.boolean().meta({ description: 'Whether the holder can revoke it.' }),
    detail: z.string().meta({ description: 'What to do, as a sentence ready to show.' }),
  })
  .meta({ id: 'OpenGrant', description: 'A permission that is still open.' });

const loss = z
  .object({
    asset: asset.meta({ description: 'What was lost.' }),
    amount: amount('What the victim lost, parts of partners included.'),
    amount_raw: amountRaw('What the victim lost, parts of partners included.'),
    received: amount('What the address itself got.'),
    received_raw: amountRaw('What the address itself got.'),
    refunded: amount('What was paid back later.'),
    refunded_raw: amountRaw('What was paid back later.'),
    usd: usd('Worth of the amount.'),
    usd_source: usdSource,
    signature: signature('The transaction.'),
    time: unixSeconds('When it was.'),
    method: z.enum(METHODS).meta({
      description:
        'transfer: the victim signed the payment. approval: a spender used an allowance. delegate: a delegate moved it. authority: handed over the account. close_account: another closed it. permit: an allowance signed off chain. signed_order: a market order signed off chain. code: code to which the wallet was delegated (EIP-7702). poisoned: paid to a look-alike.',
    }),
    intended: orNull(address('Intended recipient of a poisoned payment.'), 'another method.'),
  })
  .meta({ id: 'Loss', description: 'One asset that a victim lost in one transaction.' });

const victim = z
  .object({
    address: address('The wallet.'),
    label: label('Its label.'),
    losses: z.array(loss).meta({ description: 'Losses, oldest first.' }),
    usd: usd('Losses less refunds.'),
    refunded_usd: usd('What was paid back later.'),
    first: unixSeconds('First loss.'),
    last: unixSeconds('Last loss.'),
  })
  .meta({ id: 'Victim', description: 'Somebody who lost something to the address.' });

/** The body of a good answer of POST /victims. */
export const victimsAnswer = z
  .object({
    chain: chainName,
    address: address('The address of the request.'),
    label: label('Its label.'),
    victims: z.array(victim).meta({ description: 'Largest loss first, at most `limit`.' }),
    refunded: z.array(victim).meta({ description: 'Wallets that were paid back.' }),
    affiliates: z
      .array(
        z.object({
          address: address('Who got a part in the same transactions.'),
          label: label('Its label.'),
          share: share('Mean part.'),
          victims: count('Victims of these.'),
          transactions: count('Transactions.'),
          usd: usd('What it got.'),
          signatures: z.array(signature('The transaction.')).meta({ description: 'Some, the latest.' }),
        }),
      )
      .meta({ description: 'Partners that shared the loot.' }),
    not_victims: z
      .array(
        z.object({
          address: address('The wallet.'),
          label: label('Its label.'),
          reason: z.enum(NO_VICTIM_REASONS).meta({ description: 'Why it is no victim.' }),
          detail: z.string().meta({ description: 'The reason as a sentence ready to show.' }),
          transactions: count('Transactions.'),
          usd: usd('What the address got, as far as priced.'),
        }),
      )
      .meta({ description: 'Others who paid the address, at most 100, by payments.' }),
    revocable: z.array(openGrant).meta({
      description: 'Open permissions, at most 100.',
    }),
    totals: z
      .object({
        victims: count('Victims in all.'),
        transfers: count('Transactions.'),
        usd: usd('Losses less refunds, as far as priced.'),
        unpriced: count('Losses without a price, not in `usd`.'),
        refunded: count('Wallets that were paid back.'),
        refunded_usd: usd('What was paid back, as far as priced.'),
        not_victims: count('Others who paid the address.'),
        contracts: count('Contracts among them.'),
        contracts_usd: usd('What these paid, as far as priced: perhaps money of their users.'),
      })
      .meta({ id: 'VictimsTotals', description: 'Sums over all victims, shown or not.' }),
    meta: z
      .object({
        chain: chainName,
        scope,
        detail: orNull(text('What is missing, as sentences.'), 'nothing is.'),
        transactions_read: count('Transactions read.'),
        ...indexSpan,
        ...basis,
        ...readingMeta,
      })
      .meta({ description: 'What the answer rests on.' }),
    continuation,
  })
  .meta({ id: 'VictimsAnswer', description: 'Who lost what to an address.' });

export type VictimsAnswer = z.infer<typeof victimsAnswer>;
