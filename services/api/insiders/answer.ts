import { z } from 'zod';
import { INSIDER_KINDS } from '../../investigate/insiders/insiders-report.ts';
import { continuation, readingMeta } from '../asking/reading-fields.ts';
import {
  address,
  amount,
  amountRaw,
  basis,
  chainName,
  count,
  decimals,
  indexSpan,
  label,
  orNull,
  scope,
  share,
  signature,
  symbol,
  text,
  unixSeconds,
  usd,
} from '../contract/fields.ts';

const UNCOUNTED = 'too many holders, or blocks since its creation are missing.';
/** A lying token contract may report more bought than exists. */
const part = (what: string) =>
  orNull(
    z
      .number()
      .min(0)
      .meta({ description: `${what} Part of the supply, 1 is all.` }),
    UNCOUNTED,
  );
const kind = z.enum(INSIDER_KINDS).meta({
  description:
    'creator: made the token. creator_funded: paid by the creator before it bought. funded_creator: sent the creator its first coin. shared_funder: shares its first funder with another insider. bundle: bought with others. sniper: bought in the launch slot or the two after. launch_recipient: got the token at the launch. top_holder: one of the largest holders.',
});

const insider = z
  .object({
    address: address('The wallet.'),
    label: label('Its label.'),
    kinds: z.array(kind).meta({ description: 'See `links`.' }),
    confidence: share('Certainty; not calibrated.'),
    share_bought: part('Bought in all.'),
    share_held: part('Held now.'),
    bought: amount('Bought in all.'),
    bought_raw: amountRaw('Bought in all.'),
    held: amount('Held now.'),
    held_raw: amountRaw('Held now.'),
    bought_usd: usd('Paid for what it bought.'),
    sold_usd: usd('Got for what it sold.'),
    profit_usd: usd('Sales less purchases; what it still holds does not count.'),
    first_buy: orNull(unixSeconds('First buy.'), 'it bought nothing.'),
    links: z
      .array(
        z.object({
          kind,
          with: orNull(address('The other party.'), 'none.'),
          detail: text('The tie as a sentence ready to show.'),
          signatures: z
            .array(signature('A transaction that shows it.'))
            .meta({ description: 'Transactions that show it.' }),
        }),
      )
      .meta({ description: 'Ties to the creator or to others.' }),
  })
  .meta({ id: 'Insider', description: 'An early holder tied to the creator.' });

/** The body of a good answer of POST /insiders. */
export const insidersAnswer = z
  .object({
    chain: chainName,
    token: z
      .object({
        address: address('The token.'),
        symbol,
        decimals,
        supply: orNull(amount('Supply.'), UNCOUNTED),
        supply_raw: orNull(amountRaw('Supply.'), UNCOUNTED),
        holders: orNull(count('Holders.'), UNCOUNTED),
      })
      .meta({ description: 'The token.' }),
    creator: z
      .object({
        address: address('The creator, else the first sender that names the token.'),
        label: label('Its label.'),
        funder: orNull(address('Who sent the creator its first coin.'), 'unknown.'),
        funder_label: label('Its label.'),
        funded: orNull(unixSeconds('When it was.'), 'unknown.'),
      })
      .nullable()
      .meta({ description: 'Who made the token. null: unknown.' }),
    launch: z
      .object({
        signature: signature('Creation at a launchpad, or first liquidity of a pool.'),
        block: count('Block number, on Solana the slot.'),
        time: unixSeconds('When it was.'),
        venue: orNull(address('First seller.'), 'not sold yet.'),
        venue_label: label('Its label.'),
        venue_kind: orNull(
          z.enum(['launchpad', 'pool']).meta({
            description: 'launchpad: the token was issued to it. pool: somebody added liquidity.',
          }),
          'not sold yet.',
        ),
      })
      .nullable()
      .meta({ description: 'First sale. null: unknown.' }),
    insiders: z.array(insider).meta({ description: 'Surest first, the creator among them.' }),
    groups: z
      .array(
        z.object({
          funder: address('Who sent their first coin, or the creator.'),
          funder_label: label('Its label.'),
          members: z.array(address('An insider.')).meta({ description: 'Insiders of the group.' }),
          share_bought: part('Bought in all.'),
          share_held: part('Held now.'),
        }),
      )
      .meta({ description: 'Insiders with one funder.' }),
    totals: z
      .object({
        insiders: count('Insiders.'),
        early_buyers: orNull(count('Wallets that bought within the window.'), 'the launch is unknown.'),
        share_bought: part('Bought in all.'),
        share_held: part('Held now.'),
        bought_usd: usd('Paid, as far as priced.'),
        sold_usd: usd('Got, as far as priced.'),
        profit_usd: usd('Sales less purchases, of those with both known.'),
        unpriced: count('Insiders without a known profit.'),
      })
      .meta({ id: 'InsidersTotals', description: 'Sums over all insiders, shown or not.' }),
    why_none: orNull(text('Why only the creator is named.'), 'somebody is.'),
    meta: z
      .object({
        chain: chainName,
        scope,
        detail: orNull(text('What is missing, as sentences.'), 'nothing is.'),
        window: z.int().meta({ description: 'Seconds after the launch that count as early.' }),
        ...indexSpan,
        ...basis,
        ...readingMeta,
      })
      .meta({ description: 'What the answer rests on.' }),
    continuation,
  })
  .meta({ id: 'InsidersAnswer', description: 'Early holders of a token tied to its creator.' });

export type InsidersAnswer = z.infer<typeof insidersAnswer>;
