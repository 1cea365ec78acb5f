import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { findBlockFiles } from '../../ingest/files/block-files.ts';
import { createDecodePool } from '../../ingest/files/decode-pool.ts';
import { type FileIngested, FinishedFiles } from '../../ingest/files/finished-files.ts';
import { lookForBlock } from '../../ingest/files/look-for-block.ts';
import { replay } from '../../ingest/files/replay.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import { openCodec } from '../../platform/avro/codec.ts';
import { type Config, loadConfig } from '../../platform/config/config.ts';
import { programVersion } from '../../platform/program-version.ts';
import { TRANSFER_TOPICS } from '../../roles/sink/start-sink.ts';
import { type Store, storeFolder } from '../../roles/store/open-store.ts';
import { example } from '../example.ts';
import { fillTables } from '../fill-tables.ts';
import { EXIT_INTERRUPTED, interruptSignal } from '../interrupt.ts';
import { openToldStore } from '../open-told-store.ts';
import { countFiles } from '../reports/count-files.ts';
import { type Progress, startProgress } from '../reports/progress.ts';
import { watchRefusals } from '../reports/refused-by-tables.ts';
import { createReplayReport, type ReplayReport } from '../reports/replay-report.ts';
import { whileWaiting } from '../reports/start-waiting.ts';

type Options = { chain?: string; json?: boolean };

const EXIT = { done: 0, failed: 1, interrupted: EXIT_INTERRUPTED };

const chainOption = new Option(
  '--chain <name>',
  'chain of the blocks, where their folder does not name it',
).choices(CHAINS.map(({ name }) => name));

/** `spoor replay PATH…`: reads block files into the log and the tables; resumable, and exact after any crash. */
export const replayCommand = (): Command =>
  new Command('replay')
    .description('Ingest block files: Solana blocks, folders of EVM blocks, or folders of either.')
    .argument('<paths...>', 'files or folders')
    .addOption(chainOption)
    .option('--json', 'end with one JSON line of totals on stdout')
    .addHelpText(
      'after',
      '\nFiles that an earlier run was done with are not read again. The data lies in SPOOR_DATA (default ./data).',
    )
    .addHelpText('after', example('spoor replay blocks/ ethereum/17000000'))
    .action(async (paths: string[], options: Options) => {
      // Absolute, so that a file is recognised from any working directory.
      const absolute = paths.map((path) => resolve(path));
      process.exitCode = await replayPaths(absolute, options, loadConfig(process.env));
    });

const replayPaths = async (paths: readonly string[], options: Options, config: Config): Promise<number> => {
  const signal = interruptSignal();
  const progress = startProgress(process.stderr, Date.now);
  const chain = options.chain ?? null;
  const total = await whileWaiting('counting the files', () => countFiles(paths, chain));
  const report = createReplayReport(progress, total);
  const isFirst = !existsSync(storeFolder(config.dataFolder, 'chain'));
  // An empty store would replace the generated world.
  if (isFirst && !(await lookForBlock(paths, chain, report.events))) {
    progress.end();
    report.print({ folder: null, json: options.json === true });
    return EXIT.failed;
  }
  const store = await openToldStore(config, 'chain');
  try {
    const refusals = await watchRefusals(store.log, TRANSFER_TOPICS);
    await fillTables(store, { config, progress, signal }, () =>
      readFiles(paths, options, store, report, progress, signal),
    );
    if (!signal.aborted) report.buried(await refusals());
    report.print({ folder: store.folder, json: options.json === true });
    if (signal.aborted) return EXIT.interrupted;
    return report.hasFailed() ? EXIT.failed : EXIT.done;
  } finally {
    await store.close();
  }
};

const readFiles = async (
  paths: readonly string[],
  options: Options,
  store: Store,
  report: ReplayReport,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> => {
  const codec = await openCodec<FileIngested>(store.registry, 'FileIngested');
  const finished = await whileWaiting('reading what was replayed before', () =>
    FinishedFiles.read(store.log, codec, programVersion(), ({ message }) => progress.note(message)),
  );
  const chain = options.chain ?? null;
  const pool = createDecodePool(store.blockSchemaId);
  try {
    // A missing path or unreadable folder is reported; the following ones are still read.
    const unreadable = (path: string, error: Error): void =>
      report.events.unreadable({ path, reason: error.message });
    const files = findBlockFiles(paths, { chain, votes: 'sum', ignored: report.ignored, unreadable });
    await replay({ files, chain, log: store.log, pool, finished, events: report.events }, signal);
  } finally {
    await pool.close();
  }
  // Files left for the next run are not done.
  signal.throwIfAborted();
  progress.update('all files read');
};
