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
  block: z.int().meta({ description: 'Block number, on Solana the slot.' }),
};

const maker = z.object({ address: address('Its address.'), label: label('Its label.'), ...done });

const authority = z
  .object({
    status: z.enum(['held', 'given_up', 'none', 'unknown']).meta({
      description:
        'held: somebody has it. given_up: nobody has it any more. none: nobody ever had it. unknown: not in the data.',
    }),
    address: orNull(address('Its holder.'), 'nobody, or unknown.'),
    since: z.object(done).nullable().meta({ description: 'The last change. null: none is known.' }),
  })
  .meta({ id: 'Authority', description: 'Who may do it now.' });

const change = z
  .object({
    role: text('Its name.'),
    from: orNull(address('Old holder.'), 'nobody.'),
    to: orNull(address('New holder.'), 'given up.'),
    ...done,
  })
  .meta({ id: 'AuthorityChange', description: 'An authority that changed hands.' });

export const tokenAnswer = z
  .object({
    creator: maker
      .extend({
        inferred: z.boolean().meta({
          description: 'true: the creation is not indexed; it sent the first transaction.',
        }),
      })
      .nullable()
      .meta({ description: 'Who made the token. null: unknown.' }),
    creator_funder: z
      .object({ address: address('Its address.'), label: label('Its label.') })
      .nullable()
      .meta({ description: 'Who sent the creator its first coin. null: unknown.' }),
    launch: z.object(done).nullable().meta({ description: 'Its first transaction. null: not in the data.' }),
    supply: z
      .object({ amount: amount('Issued less destroyed.'), amount_raw: amountRaw('Issued less destroyed.') })
      .nullable()
      .meta({ description: 'Supply. null: not all blocks since its creation are indexed.' }),
    metadata: z
      .object({
        name: text('Its name.'),
        symbol: text('Its symbol.'),
        uri: text('Link to more. Do not trust it.'),
      })
      .nullable()
      .meta({ description: 'What it calls itself: anybody can take any name. null: unknown.' }),
    mint_authority: authority.meta({ description: 'May issue more.' }),
    freeze_authority: authority.meta({ description: 'May freeze what others hold.' }),
    metadata_authority: authority.meta({ description: 'May change name, symbol and URI.' }),
    changes: z.array(change).meta({ description: 'Changes of authorities, oldest first.' }),
    holders: orNull(count('Holders.'), 'not counted, or not all blocks since its creation are indexed.'),
    holders_top: z
      .array(
        z.object({
          address: address('The holder.'),
          label: label('Its label. Services and pools hold for many.'),
          amount: amount('Balance.'),
          amount_raw: amountRaw('Balance.'),
          share: share('Part of the supply.'),
        }),
      )
      .meta({ description: 'The largest holders, largest first.' }),
    red_flags: z
      .array(z.object({ code: text('Its name.'), detail: text('The reason as a sentence ready to show.') }))
      .meta({ description: 'Warnings for holders.' }),
  })
  .meta({ id: 'TokenProfile', description: 'What the token is.' });

export const programAnswer = z
  .object({
    deployer: maker.nullable().meta({ description: 'Who deployed it. null: unknown.' }),
    factory: orNull(address('The contract that created it.'), 'none, or unknown.'),
    upgrade_authority: authority.meta({ description: 'May change its code.' }),
    owner: authority.meta({ description: 'Owner as the contract names it.' }),
    changes: z.array(change).meta({ description: 'Changes of authorities, oldest first.' }),
    upgrades: z
      .array(
        z.object({
          implementation: orNull(address('The new code.'), 'it has no own address.'),
          ...done,
        }),
      )
      .meta({ description: 'Changes of its code, oldest first.' }),
    first_seen: orNull(unixSeconds('First transaction.'), 'unknown.'),
    top_callers: z
      .object({
        callers: z
          .array(
            z.object({
              address: address('Its address.'),
              calls: count('Its calls since then.'),
              latest: z
                .object({ signature: signature('The transaction.'), time: unixSeconds('When it was.') })
                .meta({ description: 'One of its latest calls.' }),
            }),
          )
          .meta({ description: 'Callers, most calls first.' }),
        calls: count('All calls.'),
        unnamed_calls: count('Calls of others.'),
        since: unixSeconds('Counted since.'),
        complete: z.boolean().meta({ description: 'Whether all counts were read.' }),
      })
      .meta({ id: 'TopCallers', description: 'Who calls it.' })
      .nullable()
      .meta({ description: 'Who calls it. null: unknown.' }),
  })
  .meta({ id: 'ProgramProfile', description: 'What the program or contract is.' });

export const frozenAnswer = (asset: z.ZodType) =>
  z
    .array(
      z.object({
        asset,
        account: orNull(address('The token account.'), 'not on Solana.'),
        by: orNull(address('Who froze it.'), 'unknown.'),
        ...done,
      }),
    )
    .nullable()
    .meta({
      description: 'Stablecoins that their issuers froze. Empty: none. null: unknown.',
    });
