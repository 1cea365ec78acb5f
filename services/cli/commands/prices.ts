import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { openReferenceEvents } from '../../events/reference-events.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import { loadConfig } from '../../platform/config/config.ts';
import { showable } from '../../platform/showable.ts';
import { importPrices, type PriceImport } from '../../prices/import-prices.ts';
import { KnownPrices } from '../../prices/known-prices.ts';
import type { PriceListOptions } from '../../prices/read-price-list.ts';
import type { Store } from '../../roles/store/open-store.ts';
import { example } from '../example.ts';
import { EXIT_INTERRUPTED, interruptSignal } from '../interrupt.ts';
import { type Progress, startProgress } from '../reports/progress.ts';
import { whileWaiting } from '../reports/start-waiting.ts';
import { runImport } from '../run-import.ts';
import { withdrawCommand } from './withdraw-prices.ts';

type Options = PriceListOptions & { readonly dryRun?: boolean; readonly json?: boolean };

const IMPORT = 'spoor prices import eth.csv --chain ethereum --asset native';

const EXIT = { done: 0, interrupted: EXIT_INTERRUPTED };

/** `spoor prices import FILE`: imports a price list into the log and the tables; repeatable. */
export const pricesCommand = (): Command =>
  new Command('prices')
    .description('Import what assets were worth, and take it back.')
    .addCommand(importCommand())
    .addCommand(withdrawCommand())
    .addHelpText('after', example(IMPORT));

const importCommand = (): Command =>
  new Command('import')
    .description('Import a history of prices (CSV with a header, packed with gzip or not).')
    .argument('<file>', 'columns time and usd, and chain and asset where the options below do not say them')
    .addOption(new Option('--chain <name>', 'chain of the asset').choices(CHAINS.map(({ name }) => name)))
    .option('--asset <address>', 'address of the asset, or native for the coin of the chain')
    .option('--source <name>', 'name of the list; default: that of the file')
    .option('--dry-run', 'read and check everything, store nothing')
    .option('--json', 'end with one JSON line of totals on stdout')
    .addHelpText(
      'after',
      '\nTimes are unix seconds or dates (UTC). Imported prices count where the chain’s own trades say nothing.\n' +
        'Rows that the store holds already change nothing. The data lies in SPOOR_DATA (default ./data).',
    )
    .addHelpText('after', example(IMPORT))
    .action(async (file: string, options: Options) => {
      process.exitCode = await importFile(resolve(file), options);
    });

const importFile = async (path: string, options: Options): Promise<number> => {
  const config = loadConfig(process.env);
  const signal = interruptSignal();
  const progress = startProgress(process.stderr, Date.now);
  const report = createReport(progress);
  const dryRun = options.dryRun === true;
  const readIn = async (store: Store | null): Promise<void> => {
    const references = store && (await openReferenceEvents(store.registry));
    const known =
      store && references
        ? await whileWaiting('reading the prices that are known', () =>
            KnownPrices.read(store.log, references),
          )
        : new KnownPrices();
    const target = store && references && !dryRun ? { log: store.log, references } : null;
    const nowUnixSeconds = Math.floor(Date.now() / 1_000);
    await importPrices({ path, options, known, nowUnixSeconds, events: report.events, target }, signal);
  };
  const folder = await runImport({ config, path, dryRun, progress, signal, read: readIn });
  progress.end();
  const { outcomes, refusals } = report;
  const refused = sumOf(refusals);
  const rows = sumOf(outcomes) + refused;
  progress.note(
    `${rows} rows of ${path}: ${outcomes.new} new, ${outcomes.changed} of days that changed, ${outcomes.known} known already, ${outcomes.repeated} repeated, ${refused} refused`,
  );
  progress.note(dryRun || folder === null ? 'nothing was stored' : `data in ${folder}`);
  const totals = { rows, ...outcomes, refused, refusals };
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ name: 'prices.import', file: path, dry_run: dryRun, ...totals })}\n`,
    );
  return signal.aborted ? EXIT.interrupted : EXIT.done;
};

/** Counts rows and prints every refused one. */
const createReport = (progress: Progress) => {
  const outcomes = { new: 0, changed: 0, known: 0, repeated: 0 };
  const refusals: Record<string, number> = {};
  const events: PriceImport['events'] = {
    // A repeated row is counted separately from the one that counts.
    taken: (rows, outcome) => {
      outcomes[outcome] += rows;
      progress.update(`${sumOf(outcomes)} rows, ${sumOf(refusals)} refused`);
    },
    refused: ({ where, code, reason }) => {
      refusals[code] = (refusals[code] ?? 0) + 1;
      progress.note(`refused: ${where}: ${showable(reason)} (${code})`);
    },
  };
  return { outcomes, refusals, events };
};

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
