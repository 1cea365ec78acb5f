import { Command } from 'commander';
import { type Config, loadConfig } from '../../platform/config/config.ts';
import { GroupHeldError } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { WarehouseHeldError } from '../../platform/warehouse-engine/warehouse-errors.ts';
import { type Rebuilt, rebuildTables } from '../../roles/sink/rebuild-tables.ts';
import { storesHere } from '../../roles/store/choose-store.ts';
import type { StoreName } from '../../roles/store/open-store.ts';
import { example } from '../example.ts';
import { EXIT_INTERRUPTED, interruptSignal } from '../interrupt.ts';
import { openToldStore } from '../open-told-store.ts';
import { type Progress, startProgress } from '../reports/progress.ts';
import { startWaiting } from '../reports/start-waiting.ts';

const EXIT = { failed: 1, interrupted: EXIT_INTERRUPTED };

/** `spoor rebuild`: rebuilds every table of every store from its log. */
export const rebuildCommand = (): Command =>
  new Command('rebuild')
    .description('Drop every table and fill it again from the event log; stop the server first.')
    .option(
      '--json',
      'one JSON line a store on stdout, and a line of totals unless there is exactly one store',
    )
    .addHelpText('after', example('spoor rebuild'))
    .action(async ({ json }: { json?: boolean }) => {
      const config = loadConfig(process.env);
      const signal = interruptSignal();
      const progress = startProgress(process.stderr, Date.now);
      try {
        const names = storesHere(config);
        if (names.length === 0) progress.note(`there is no data in ${config.dataFolder} yet`);
        const identical: (boolean | null)[] = [];
        for (const name of names)
          identical.push(await rebuildStore({ config, name, json: json === true, signal, progress }));
        if (json && names.length !== 1) {
          const totals = { name: 'rebuild', stores: names.length, identical: allIdentical(identical) };
          process.stdout.write(`${JSON.stringify(totals)}\n`);
        }
      } catch (error) {
        progress.end();
        if (signal.aborted) {
          progress.note('interrupted: the tables are not whole; run "spoor rebuild" again');
          process.exitCode = EXIT.interrupted;
        } else if (error instanceof WarehouseHeldError || error instanceof GroupHeldError) {
          progress.note(`spoor: ${error.message}: stop the server first`);
          process.exitCode = EXIT.failed;
        } else throw error;
      }
    });

const rebuildStore = async (request: {
  config: Config;
  name: StoreName;
  json: boolean;
  signal: AbortSignal;
  progress: Progress;
}): Promise<boolean | null> => {
  const { config, name, json, signal, progress } = request;
  const store = await openToldStore(config, name);
  try {
    let doing = 'dropping the tables';
    const waiting = startWaiting(() => `${name}: ${doing}`);
    const rebuilt = await rebuildTables(store, {
      batchBytesMax: config.sinkBatchBytesMax,
      logger: createLogger({ level: 'warn' }),
      signal,
      onLag: (records) => {
        doing = `${records} records are not in the tables yet`;
      },
      onFilled: () => {
        doing = 'deriving facts again and comparing';
      },
    }).finally(waiting.stop);
    for (const line of describe(name, rebuilt)) progress.note(line);
    const { after: tables, derived } = rebuilt;
    const identical = isIdentical(rebuilt);
    const totals = { name: 'rebuild', store: name, identical, tables, derived };
    if (json) process.stdout.write(`${JSON.stringify(totals)}\n`);
    return identical;
  } finally {
    await store.close();
  }
};

const isIdentical = ({ before, after }: Rebuilt): boolean | null =>
  before === null || after === null ? null : JSON.stringify(before) === JSON.stringify(after);

/** null if one of them could not be compared, or there is none. */
const allIdentical = (stores: readonly (boolean | null)[]): boolean | null => {
  if (stores.includes(false)) return false;
  return stores.length === 0 || stores.includes(null) ? null : true;
};

const describe = (name: string, rebuilt: Rebuilt): string[] => {
  const rows = (rebuilt.after ?? []).map((t) => `  ${t.table}: ${t.rows} rows`);
  for (const [table, count] of Object.entries(rebuilt.derived ?? {}))
    rows.push(`  ${table}: ${count} rows, derived again`);
  return [`store ${name}: rebuilt, ${verdictOf(rebuilt)}`, ...rows];
};

const verdictOf = (rebuilt: Rebuilt): string => {
  if (rebuilt.after === null) return 'but could not be compared with what was there before';
  const identical = isIdentical(rebuilt);
  if (identical === null) return 'there was nothing to compare with';
  return identical ? 'identical to before' : 'NOT what was there before';
};
