import { z } from 'zod';
import {
  address,
  amount,
  amountRaw,
  count,
  label,
  orNull,
  share,
  signature,
  text,
  unixSeconds,
} from '../contract/fields.ts';

/** Fields of tokens, programs and frozen balances in answers of POST /analyze. */

const done = {
  signature: signature('The transaction.'),
  time: unixSeconds('When it was.'),
  block: z.int().meta({ description: 'Number of its block; on Solana of its slot.' }),
};

const maker = z.object({ address: address('Who made it.'), label: label('Who that is.'), ...done });

const authority = z
  .object({
    status: z.enum(['held', 'given_up', 'none', 'unknown']).meta({
      description:
        'held: somebody has it. given_up: nobody has it any more. none: nobody ever had it. unknown: the kept events do not tell.',
    }),
    address: orNull(address('Who has it.'), 'nobody has, or it is not known.'),
    since: z.object(done).nullable().meta({ description: 'The change that made it so. null: none is kept.' }),
  })
  .meta({ id: 'Authority', description: 'Who may do it now.' });

const change = z
  .object({
    role: text('What the authority allows.'),
    from: orNull(address('Who had it.'), 'nobody had it before.'),
    to: orNull(address('Who got it.'), 'it was given up.'),
    ...done,
  })
  .meta({ id: 'AuthorityChange', description: 'An authority that went to another.' });

export const tokenAnswer = z
  .object({
    creator: maker
      .extend({
        inferred: z.boolean().meta({
          description:
            'Whether its creation is not among what is kept: then it is who sent the first transaction with it.',
        }),
      })
      .nullable()
      .meta({ description: 'Who made the token, as /insiders tells. null: nothing names it.' }),
    creator_funder: z
      .object({ address: address('Who first funded the creator.'), label: label('Who that is.') })
      .nullable()
      .meta({ description: 'Who first funded the creator. null: not known.' }),
    launch: z
      .object(done)
      .nullable()
      .meta({ description: 'Its creation, or the first transaction that names it. null: neither is kept.' }),
    supply: z
      .object({ amount: amount('Issued less destroyed.'), amount_raw: amountRaw('Issued less destroyed.') })
      .nullable()
      .meta({ description: 'What is issued. null: what is indexed does not begin with the token.' }),
    metadata: z
      .object({
        name: text('Its name.'),
        symbol: text('Its symbol.'),
        uri: text('Where it says that more is told. Do not trust it.'),
      })
      .nullable()
      .meta({ description: 'What it calls itself: anybody can take any name. null: not kept.' }),
    mint_authority: authority.meta({ description: 'Who may issue more.' }),
    freeze_authority: authority.meta({ description: 'Who may freeze what others hold.' }),
    metadata_authority: authority.meta({ description: 'Who may change its name, symbol and URI.' }),
    changes: z.array(change).meta({ description: 'Changes of its authorities, oldest first.' }),
    holders: orNull(count('Addresses that hold some, as far as indexed.'), 'not counted.'),
    holders_top: z
      .array(
        z.object({
          address: address('The holder.'),
          label: label('Who it is: services and pools hold for many.'),
          amount: amount('What it holds.'),
          amount_raw: amountRaw('What it holds.'),
          share: share('Part of all that is known to be issued.'),
        }),
      )
      .meta({ description: 'The largest holders, largest first.' }),
    red_flags: z
      .array(z.object({ code: text('What it is.'), detail: text('A sentence ready to show.') }))
      .meta({ description: 'What holders of the token should know before they trust it.' }),
  })
  .nullable()
  .meta({ id: 'TokenProfile', description: 'The token that the address is. null: it is none.' });

export const programAnswer = z
  .object({
    deployer: maker
      .nullable()
      .meta({ description: 'Who deployed it. null: its deployment is not among what is kept.' }),
    factory: orNull(address('The contract that made it for its deployer.'), 'none did, or it is not kept.'),
    upgrade_authority: authority.meta({ description: 'Who may change its code.' }),
    owner: authority.meta({ description: 'Whom the contract calls its owner.' }),
    changes: z.array(change).meta({ description: 'Changes of its authorities, oldest first.' }),
    upgrades: z
      .array(
        z.object({
          implementation: orNull(address('The new code.'), 'it has no address of its own.'),
          ...done,
        }),
      )
      .meta({ description: 'Changes of its code, oldest first.' }),
    first_seen: orNull(unixSeconds('Its deployment, or its first transfer.'), 'neither is kept.'),
    top_callers: z
      .object({
        callers: z
          .array(
            z.object({
              address: address('Who called it.'),
              calls: count('How often.'),
              latest: z
                .object({ signature: signature('A late call.'), time: unixSeconds('When that was.') })
                .meta({ description: 'One of its latest calls.' }),
            }),
          )
          .meta({ description: 'Who called it most, first.' }),
        calls: count('All calls that were counted.'),
        unnamed_calls: count('Calls of callers that are not named.'),
        since: unixSeconds('Since when calls were counted.'),
        complete: z.boolean().meta({ description: 'Whether all counts were read.' }),
      })
      .nullable()
      .meta({ description: 'Who calls it. null: no calls of it are kept.' }),
  })
  .nullable()
  .meta({
    id: 'ProgramProfile',
    description: 'The program or contract that the address is. null: it is none that is known.',
  });

export const frozenAnswer = (asset: z.ZodType) =>
  z
    .array(
      z.object({
        asset,
        account: orNull(address('The token account.'), 'not on Solana.'),
        by: orNull(address('Who froze it.'), 'not known.'),
        ...done,
      }),
    )
    .nullable()
    .meta({
      description:
        'Stablecoins that their issuers hold frozen. Empty: looked and found none. null: nothing is known.',
    });
