import { z } from 'zod';
import { INSIDER_KINDS } from '../../investigate/insiders/insiders-report.ts';
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
} from '../contract/fields.ts';

const raw = (what: string) =>
  z.string().meta({ description: `${what} In the smallest unit, exact, as decimal digits.` });
const UNCOUNTED = 'so many hold the token that they could not be counted in time.';
/** A token whose contract lies may have more bought than there is. */
const part = (what: string) =>
  orNull(
    z
      .number()
      .min(0)
      .meta({ description: `${what} Of the supply, 1 is all.` }),
    UNCOUNTED,
  );
const kind = z.enum(INSIDER_KINDS).meta({
  description:
    'creator: made the token. creator_funded: the creator paid it before it bought. funded_creator: sent the creator its first coin. shared_funder: the same wallet sent it and another insider their first coin. bundle: bought together with others. sniper: bought in the launch slot or one of the two after it. launch_recipient: was given the token at the launch. top_holder: is one of the largest holders now.',
});

const insider = z
  .object({
    address: address('The wallet.'),
    label: label('Who it is.'),
    kinds: z.array(kind).meta({ description: 'Why it is an insider, see `links[].kind`.' }),
    confidence: share('How sure its kinds make it: not a calibrated probability.'),
    share_bought: part('What it ever bought.'),
    share_held: part('What it holds now.'),
    bought: amount('What it ever bought.'),
    bought_raw: raw('What it ever bought.'),
    held: amount('What it holds now.'),
    held_raw: raw('What it holds now.'),
    bought_usd: usd('What it paid for what it bought.'),
    sold_usd: usd('What it got for what it sold.'),
    profit_usd: usd('What it got less what it paid; what it still holds is not counted.'),
    first_buy: orNull(unixSeconds('Its first buy.'), 'it bought nothing.'),
    links: z
      .array(
        z.object({
          kind,
          with: orNull(address('The other party.'), 'there is none.'),
          detail: text('What ties it, as a sentence ready to show.'),
          signatures: z
            .array(signature('A transaction that shows it.'))
            .meta({ description: 'Transactions that show it.' }),
        }),
      )
      .meta({ description: 'What ties it to the creator or to others.' }),
  })
  .meta({ id: 'Insider', description: 'A wallet that had the token early and is tied to its creator.' });

/** The body of a good answer of POST /insiders. */
export const insidersAnswer = z
  .object({
    chain: chainName,
    token: z
      .object({
        address: address('The token.'),
        symbol: orNull(text('Its symbol.'), 'nothing trustworthy names it.'),
        decimals: orNull(
          z.int().meta({ description: 'Its decimals.' }),
          'unknown, and amounts are raw units.',
        ),
        supply: orNull(amount('What all wallets hold together.'), UNCOUNTED),
        supply_raw: orNull(raw('What all wallets hold together.'), UNCOUNTED),
        holders: orNull(count('Wallets that hold some.'), UNCOUNTED),
      })
      .meta({ description: 'The token that was asked about.' }),
    creator: z
      .object({
        address: address(
          'Who made the token; where that is not known, who sent the first transaction that names it.',
        ),
        label: label('Who it is.'),
        funder: orNull(address('Who sent the creator its first coin.'), 'not known.'),
        funder_label: label('Who the funder is.'),
        funded: orNull(unixSeconds('When the funder sent it.'), 'not known.'),
      })
      .nullable()
      .meta({ description: 'Who made the token. null: not known.' }),
    launch: z
      .object({
        signature: signature('The create of a launchpad, or the first liquidity of a pool.'),
        block: count('Slot or block number.'),
        time: unixSeconds('When it was.'),
        venue: orNull(address('Who sold the token first.'), 'nobody has yet.'),
        venue_label: label('Who the venue is.'),
        venue_kind: orNull(
          z.enum(['launchpad', 'pool']).meta({
            description: 'launchpad: the token was issued to the venue. pool: somebody put it there.',
          }),
          'there is no venue.',
        ),
      })
      .nullable()
      .meta({ description: 'When and where it was first sold. null: not known.' }),
    insiders: z.array(insider).meta({ description: 'The surest first. The creator is one of them.' }),
    groups: z
      .array(
        z.object({
          funder: address('Who sent all members their first coin, or is the creator who paid them.'),
          funder_label: label('Who it is.'),
          members: z.array(address('An insider.')).meta({ description: 'Insiders of the group.' }),
          share_bought: part('What they bought together.'),
          share_held: part('What they hold together.'),
        }),
      )
      .meta({ description: 'Insiders with one funder.' }),
    totals: z
      .object({
        insiders: count('Insiders.'),
        early_buyers: count('Wallets that bought within the window.'),
        share_bought: part('What insiders bought.'),
        share_held: part('What insiders hold.'),
        bought_usd: usd('What insiders paid, as far as it is known.'),
        sold_usd: usd('What insiders got for it, as far as it is known.'),
        profit_usd: usd('What they got less what they paid, of those of whom both are known.'),
        unpriced: count('Insiders whose profit is not known.'),
      })
      .meta({ id: 'InsidersTotals', description: 'Sums over all insiders, shown or not.' }),
    why_none: orNull(text('Why nobody but the creator is named.'), 'somebody is.'),
    meta: z
      .object({
        chain: chainName,
        scope: scope('the data never names the token; free.'),
        detail: orNull(
          text('What is missing, or that an airdrop ties nobody, as sentences.'),
          'there is nothing to say.',
        ),
        window: z.int().meta({ description: 'Seconds after the launch in which a buyer counts as early.' }),
        ...indexSpan,
      })
      .meta({ description: 'What the answer rests on.' }),
  })
  .meta({ id: 'InsidersAnswer', description: 'Who had a token early and is tied to its creator.' });

export type InsidersAnswer = z.infer<typeof insidersAnswer>;
