import { z } from 'zod';
import { HISTORY_KINDS } from '../../investigate/model/history.ts';
import { count, orNull, unixSeconds } from '../contract/fields.ts';

const component = (what: string) =>
  z.enum(['ok', 'degraded', 'down', 'off', 'starting']).meta({
    description: `${what} off: not installed.`,
  });

const chainStatus = z.object({
  chain: z.string().meta({ description: 'Name of the chain.' }),
  head: z.int().nullable().meta({ description: 'Newest block seen on the chain; null while unknown.' }),
  indexed: z.int().nullable().meta({ description: 'Newest block in the tables; null where there is none.' }),
  lag_seconds: z.number().nullable().meta({ description: 'Seconds behind the head; null while unknown.' }),
  finality: z.string().meta({ description: 'Finality of indexed blocks.' }),
  still_seconds: z
    .number()
    .nullable()
    .meta({ description: 'Seconds since the last block; null where the chain is not followed here.' }),
  stalled: z.boolean().meta({ description: 'Whether blocks are overdue.' }),
  trouble: z
    .string()
    .nullable()
    .meta({ description: 'Code of what ingestion waits for; null while all is well.' }),
  traces: z.boolean().nullable().meta({ description: 'Whether traces are available; null while unknown.' }),
  traces_missing: orNull(count('Blocks since the start without traces.'), 'the chain is not followed here.'),
  partial: z
    .object({
      blocks: count('Such blocks since the start.'),
      newest: z
        .object({
          block: z.int().meta({ description: 'Its number.' }),
          reason: z.string().meta({ description: 'Code of the cause.' }),
        })
        .nullable()
        .meta({ description: 'The newest. null: none.' }),
    })
    .nullable()
    .meta({
      description: 'Incomplete blocks. null: the chain is not followed here.',
    }),
  gaps: orNull(count('Gaps between blocks.'), 'not audited yet.'),
});

const kinds = (what: string) => z.array(z.enum(HISTORY_KINDS)).meta({ description: what });

const historyStatus = z.object({
  chain: z.string().meta({ description: 'Name of the chain.' }),
  sources: z
    .array(
      z.object({
        source: z.string().meta({ description: 'Its kind, such as evm-node.' }),
        place: count('Its place in the configuration: the nodes first.'),
        trouble: z.string().nullable().meta({ description: 'Why it did not answer: a code. null: it did.' }),
        kinds: kinds('What it lists.'),
        has: z.array(z.string()).meta({ description: 'Methods or tables that it has.' }),
        blocks_max: orNull(count('Blocks in one question.'), 'no limit is known.'),
        per_second: z
          .number()
          .nullable()
          .meta({ description: 'Requests divided by seconds. null: no limit is set.' }),
        per_day: orNull(count('Requests a day.'), 'no limit is set.'),
      }),
    )
    .meta({ description: 'Its nodes, and who is configured beside them.' }),
  unlisted: kinds('What nobody lists.'),
});

export const statusAnswer = z
  .object({
    status: z.enum(['ok', 'degraded', 'down']).meta({ description: 'Whether questions can be answered.' }),
    version: z.string().meta({ description: 'Version of the service.' }),
    time: unixSeconds('Now.'),
    access: z
      .enum(['open', 'keys'])
      .nullable()
      .meta({ description: 'open: calls need neither key nor payment. null: this process does not know.' }),
    components: z
      .object({
        event_log: component('The event log.'),
        warehouse: component('The tables. Also degraded for a minute after their engine ended by itself.'),
        ledger: component('The ledger of credits.'),
        derivation: component('Prices, deposit addresses and first funders.'),
        facilitator: component('Settles x402 payments.'),
        chains: z.array(chainStatus).meta({ description: 'One entry a chain.' }),
      })
      .meta({ description: 'State of each part.' }),
    inserts_wait_since: unixSeconds(
      'Since when the tables take no new blocks; the event log keeps them.',
    ).optional(),
    histories: z
      .array(historyStatus)
      .optional()
      .meta({ description: 'Who lists the histories of wallets, by chain, as probed after the start.' }),
    waiting_for: z
      .array(
        z.object({
          part: z.string().meta({ description: 'Its name.' }),
          since: unixSeconds('Since when.'),
        }),
      )
      .optional()
      .meta({ description: 'Only while starting: what it waits for.' }),
  })
  .meta({ id: 'Status', description: 'Health of the service.' });
