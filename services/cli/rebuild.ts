import { Command } from 'commander';
import { loadConfig } from '../platform/config.ts';
import { createLogger } from '../platform/logger.ts';
import { existingStores, openStore } from '../roles/open-store.ts';
import { type Rebuilt, rebuildTables } from '../roles/rebuild-tables.ts';
import { interruptSignal } from './interrupt.ts';
import { startProgress } from './progress.ts';

/** `spoor rebuild`: every table of every store again from its log. */
export const rebuildCommand = (): Command =>
  new Command('rebuild')
    .description('Drop every table and fill it again from the event log; stop the server first.')
    .option('--json', 'end with one JSON line a store on stdout')
    .action(async ({ json }: { json?: boolean }) => {
      const config = loadConfig(process.env);
      const signal = interruptSignal();
      const progress = startProgress(process.stderr, Date.now);
      for (const name of existingStores(config.dataFolder)) {
        const store = await openStore({
          dataFolder: config.dataFolder,
          name,
          maxQueuedBytes: config.logQueueBytesMax,
        });
        try {
          const rebuilt = await rebuildTables(store, {
            batchBytesMax: config.sinkBatchBytesMax,
            logger: createLogger({ level: 'warn' }),
            signal,
            onLag: (records) => progress.update(`${name}: ${records} records to go`),
          });
          progress.end();
          progress.note(describe(name, rebuilt));
          const { after: tables } = rebuilt;
          const totals = { name: 'rebuild', store: name, identical: isIdentical(rebuilt), tables };
          if (json) process.stdout.write(`${JSON.stringify(totals)}\n`);
        } finally {
          await store.close();
        }
      }
    });

const isIdentical = ({ before, after }: Rebuilt): boolean | null =>
  before === null ? null : JSON.stringify(before) === JSON.stringify(after);

const describe = (name: string, rebuilt: Rebuilt): string => {
  const rows = rebuilt.after.map((t) => `  ${t.table}: ${t.rows} rows`);
  const identical = isIdentical(rebuilt);
  const verdict =
    identical === null
      ? 'there was nothing to compare with'
      : identical
        ? 'identical to before'
        : 'NOT what was there before';
  return [`store ${name}: rebuilt, ${verdict}`, ...rows].join('\n');
};
