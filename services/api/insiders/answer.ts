import { z } from 'zod';
import { INSIDER_KINDS } from '../../investigate/insiders/insiders-report.ts';
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
} from '../contract/fields.ts';

const raw = (what: string) =>
  z.string().meta({ description: `${what} In the smallest unit, exact, as decimal digits.` });
/** A token whose contract lies may have more bought than there is. */
const part = (what: string) =>
  z
    .number()
    .min(0)
    .meta({ description: `${what} Of the supply, 1 is all.` });
const kind = z.enum(INSIDER_KINDS);

const insider = z
  .object({
    address: address('The wallet.'),
    label: label('Who it is.'),
    kinds: z.array(kind).meta({ description: 'Why it is an insider.' }),
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
    first_buy: unixSeconds('Its first buy; null where it bought nothing.').nullable(),
    links: z.array(
      z.object({
        kind,
        with: address('The other party; null where there is none.').nullable(),
        detail: z.string().meta({ description: 'What ties it, as a sentence ready to show.' }),
        signatures: z.array(signature('A transaction that shows it.')),
      }),
    ),
  })
  .meta({ id: 'Insider' });

/** The body of a good answer of POST /insiders. */
export const insidersAnswer = z
  .object({
    chain: chainName,
    token: z.object({
      address: address('The token.'),
      symbol: z.string().nullable().meta({ description: 'null where nothing trustworthy names it.' }),
      decimals: z.int().nullable().meta({ description: 'null where unknown: amounts are then raw.' }),
      supply: amount('What all wallets hold together.'),
      supply_raw: raw('What all wallets hold together.'),
      holders: count('Wallets that hold some.'),
    }),
    creator: z
      .object({
        address: address(
          'Who made the token; where that is not known, who sent the first transaction that names it.',
        ),
        label: label('Who it is.'),
        funder: address('Who sent the creator its first coin; null where that is not known.').nullable(),
        funder_label: label('Who the funder is.'),
        funded: unixSeconds('When; null where that is not known.').nullable(),
      })
      .nullable(),
    launch: z
      .object({
        signature: signature('The create of a launchpad, or the first liquidity of a pool.'),
        block: count('Slot or block number.'),
        time: unixSeconds('When it was.'),
        venue: address('Who sold the token first; null where nobody has yet.').nullable(),
        venue_label: label('Who the venue is.'),
        venue_kind: z.enum(['launchpad', 'pool']).nullable().meta({
          description: 'launchpad: the token was issued to the venue. pool: somebody put it there.',
        }),
      })
      .nullable(),
    insiders: z.array(insider).meta({ description: 'The surest first. The creator is one of them.' }),
    groups: z.array(
      z.object({
        funder: address('Who sent all members their first coin, or is the creator who paid them.'),
        funder_label: label('Who it is.'),
        members: z.array(address('An insider.')),
        share_bought: part('What they bought together.'),
        share_held: part('What they hold together.'),
      }),
    ),
    totals: z
      .object({
        insiders: count('Insiders.'),
        early_buyers: count('Wallets that bought within the window.'),
        share_bought: part('What insiders bought.'),
        share_held: part('What insiders hold.'),
        bought_usd: z.number().meta({ description: 'What insiders paid. US dollars.' }),
        sold_usd: z.number().meta({ description: 'What insiders got for it. US dollars.' }),
        profit_usd: z.number().meta({ description: 'What they got less what they paid. US dollars.' }),
      })
      .meta({ id: 'InsidersTotals' }),
    why_none: z
      .string()
      .nullable()
      .meta({ description: 'Why nobody but the creator is named; null where somebody is.' }),
    meta: z.object({
      chain: chainName,
      scope: z.enum(['full', 'partial', 'no_data']).meta({
        description: 'partial: `detail` says what is missing. no_data: the data never names the token; free.',
      }),
      detail: z
        .string()
        .nullable()
        .meta({ description: 'What is missing, or that an airdrop ties nobody, as sentences; else null.' }),
      window: z.int().meta({ description: 'Seconds after the launch in which a buyer counts as early.' }),
      data_from: unixSeconds(
        'Since when the chain is indexed without a gap; null where it is not.',
      ).nullable(),
      data_to: unixSeconds('Newest indexed block of the chain; null where nothing is indexed.').nullable(),
    }),
  })
  .meta({ id: 'InsidersAnswer', description: 'Who had a token early and is tied to its creator.' });

export type InsidersAnswer = z.infer<typeof insidersAnswer>;
