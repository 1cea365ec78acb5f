import { z } from 'zod';
import { count, orNull, unixSeconds } from '../contract/fields.ts';

const component = (what: string) =>
  z.enum(['ok', 'degraded', 'down', 'off', 'starting']).meta({
    description: `${what} off: not part of this installation. starting: not opened yet.`,
  });

const chainStatus = z.object({
  chain: z.string().meta({ description: 'Name of the chain.' }),
  head: z.int().nullable().meta({ description: 'Newest block seen on the chain; null while unknown.' }),
  indexed: z.int().nullable().meta({ description: 'Newest block in the tables; null where there is none.' }),
  lag_seconds: z
    .number()
    .nullable()
    .meta({ description: 'Seconds that the tables are behind the head; null while unknown.' }),
  finality: z.string().meta({ description: "How settled indexed blocks are, in the chain's own word." }),
  still_seconds: z
    .number()
    .nullable()
    .meta({ description: 'Seconds since the last block came in; null where nobody follows the chain here.' }),
  stalled: z.boolean().meta({ description: 'Whether the chain stands still for longer than it ever does.' }),
  trouble: z
    .string()
    .nullable()
    .meta({ description: 'Code of what ingestion waits for; null while all is well.' }),
  traces: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether coins moved inside transactions are seen; null while unknown.' }),
  traces_missing: orNull(
    count('Blocks since the start whose calls no node could trace.'),
    'the chain is not followed here.',
  ),
  partial: z
    .object({
      blocks: count('Blocks since the start that are stored in part.'),
      newest: z
        .object({
          block: z.int().meta({ description: 'Number of the block.' }),
          reason: z.string().meta({ description: 'Code of why.' }),
        })
        .nullable()
        .meta({ description: 'The newest of them. null: there is none.' }),
    })
    .nullable()
    .meta({
      description: 'Blocks stored without all that is in them. null: the chain is not followed here.',
    }),
  gaps: orNull(count('Stretches of blocks that are missing.'), 'not audited yet.'),
});

export const statusAnswer = z
  .object({
    status: z.enum(['ok', 'degraded', 'down']).meta({ description: 'Whether questions can be answered.' }),
    version: z.string().meta({ description: 'Version of the service.' }),
    time: unixSeconds('When this was found out.'),
    access: z
      .enum(['open', 'keys'])
      .nullable()
      .meta({ description: 'open: calls need neither key nor payment. null: this process does not know.' }),
    components: z
      .object({
        event_log: component('The event log.'),
        warehouse: component('The tables.'),
        ledger: component('The ledger of credits.'),
        derivation: component('Facts derived from the tables: prices, deposit addresses, first funders.'),
        facilitator: component('Who settles payments by x402.'),
        chains: z.array(chainStatus).meta({ description: 'One entry a chain.' }),
      })
      .meta({ description: 'How each part is.' }),
    waiting_for: z
      .array(
        z.object({
          part: z.string().meta({ description: 'Name of the part.' }),
          since: unixSeconds('Since when.'),
        }),
      )
      .optional()
      .meta({ description: 'Only while the process starts: what it waits for.' }),
  })
  .meta({ id: 'Status', description: 'Health of the service and of what it relies on.' });
