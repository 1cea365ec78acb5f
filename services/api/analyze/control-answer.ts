import { z } from 'zod';
import {
  address,
  amount,
  amountRaw,
  count,
  label,
  share,
  signature,
  unixSeconds,
} from '../contract/fields.ts';

/** Fields of tokens, programs and frozen balances in answers of POST /analyze. */

const text = (what: string) => z.string().meta({ description: what });

const done = {
  signature: signature('The transaction.'),
  time: unixSeconds('When it was.'),
  block: z.int().meta({ description: 'Block, or slot.' }),
};

const maker = z.object({ address: address('Who made it.'), label: label('Who that is.'), ...done });

const authority = z
  .object({
    status: z.enum(['held', 'given_up', 'none', 'unknown']).meta({
      description:
        'held: somebody has it. given_up: nobody has it any more. none: nobody ever had it. unknown: the kept events do not tell.',
    }),
    address: address('Who has it; null where nobody has, or it is not known.').nullable(),
    since: z.object(done).nullable().meta({ description: 'The change that made it so.' }),
  })
  .meta({ id: 'Authority' });

const change = z
  .object({
    role: text('What the authority allows.'),
    from: address('Who had it; null at the beginning.').nullable(),
    to: address('Who got it; null: it was given up.').nullable(),
    ...done,
  })
  .meta({ id: 'AuthorityChange' });

export const tokenAnswer = z
  .object({
    creator: maker.nullable().meta({ description: 'null where its creation is not among what is kept.' }),
    creator_funder: z
      .object({ address: address('Who first funded the creator.'), label: label('Who that is.') })
      .nullable(),
    launch: z
      .object(done)
      .nullable()
      .meta({ description: 'Its creation, or the first transaction that names it.' }),
    supply: z
      .object({ amount: amount('Issued less destroyed.'), amount_raw: amountRaw('Issued less destroyed.') })
      .nullable()
      .meta({ description: 'null where rows do not begin with the token.' }),
    metadata: z
      .object({ name: z.string(), symbol: z.string(), uri: z.string() })
      .nullable()
      .meta({ description: 'What it calls itself: anybody can take any name.' }),
    mint_authority: authority,
    freeze_authority: authority,
    metadata_authority: authority,
    changes: z.array(change).meta({ description: 'Oldest first.' }),
    holders: count('Addresses that hold some, as far as rows tell.').nullable(),
    holders_top: z.array(
      z.object({
        address: address('The holder.'),
        label: label('Who it is: services and pools hold for many.'),
        amount: amount('What it holds.'),
        amount_raw: amountRaw('What it holds.'),
        share: share('Part of all that is known to be issued.'),
      }),
    ),
    red_flags: z.array(z.object({ code: text('What it is.'), detail: text('A sentence ready to show.') })),
  })
  .nullable()
  .meta({ id: 'TokenProfile', description: 'null where the address is no token.' });

export const programAnswer = z
  .object({
    deployer: maker.nullable().meta({ description: 'null where its deployment is not among what is kept.' }),
    factory: address('The contract that made it for its deployer.').nullable(),
    upgrade_authority: authority,
    owner: authority,
    changes: z.array(change).meta({ description: 'Oldest first.' }),
    upgrades: z.array(
      z.object({ implementation: address('The new code, where it has an address.').nullable(), ...done }),
    ),
    first_seen: unixSeconds('Its deployment, or its first row.').nullable(),
    top_callers: z
      .object({
        callers: z.array(
          z.object({
            address: address('Who called it.'),
            calls: count('How often.'),
            latest: z.object({ signature: signature('A late call.'), time: unixSeconds('When that was.') }),
          }),
        ),
        calls: count('All calls counted.'),
        unnamed_calls: count('Of callers that are not named.'),
        since: unixSeconds('Since when calls were counted.'),
        complete: z.boolean().meta({ description: 'Whether all counts were read.' }),
      })
      .nullable()
      .meta({ description: 'null where no calls of it are kept.' }),
  })
  .nullable()
  .meta({
    id: 'ProgramProfile',
    description: 'null where the address is no program or contract that is known.',
  });

export const frozenAnswer = (asset: z.ZodType) =>
  z
    .array(
      z.object({
        asset,
        account: address('On Solana the token account.').nullable(),
        by: address('Who froze it.').nullable(),
        ...done,
      }),
    )
    .nullable()
    .meta({
      description:
        'Stablecoins that their issuers hold frozen. Empty: looked and found none. null: nothing is known.',
    });
