import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { openLabelEvents } from '../../events/label-events.ts';
import { SourceError } from '../../ingest/nodes/source-error.ts';
import { fetchVoteAccounts } from '../../ingest/solana/nodes/fetch-vote-accounts.ts';
import { createSolanaRpc } from '../../ingest/solana/nodes/solana-rpc.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import { LABEL_KINDS } from '../../investigate/model/label.ts';
import { curated, curatedFiles } from '../../labels/curated/curated.ts';
import { type Ended, endMissing } from '../../labels/end-missing.ts';
import { LABEL_FORMATS } from '../../labels/formats/formats.ts';
import type { FormatOptions, LabelFormat } from '../../labels/formats/label-format.ts';
import { openLabelFile } from '../../labels/formats/open-label-file.ts';
import { type ImportRequest, importLabels } from '../../labels/import-labels.ts';
import { KnownLabels } from '../../labels/known-labels.ts';
import { CURATED_SOURCE } from '../../labels/rules/curated-source.ts';
import { type Config, loadConfig } from '../../platform/config/config.ts';
import type { Store } from '../../roles/store/open-store.ts';
import { DEPOSIT_LABEL_SOURCE } from '../../warehouse/derive/deposit-rules.ts';
import { example } from '../example.ts';
import { EXIT_INTERRUPTED, interruptSignal } from '../interrupt.ts';
import { createImportReport } from '../reports/import-report.ts';
import { type Progress, startProgress } from '../reports/progress.ts';
import { whileWaiting } from '../reports/start-waiting.ts';
import { runImport } from '../run-import.ts';

type Options = FormatOptions & {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly whole?: string;
  readonly accept?: ImportRequest['accepted'];
};

/** The project's own source names. An imported list under such a name would be revoked with it. */
const OUR_SOURCES: ReadonlySet<string> = new Set([CURATED_SOURCE, DEPOSIT_LABEL_SOURCE]);

const IMPORT = 'spoor labels import ofac sdn_advanced.xml --dry-run';

const EXIT = { done: 0, interrupted: EXIT_INTERRUPTED };

/** `spoor labels import FORMAT FILE`: imports a public list of addresses into the log and the tables; repeatable. */
export const labelsCommand = (): Command =>
  new Command('labels')
    .description('Import lists of who is who.')
    .addCommand(importCommand())
    .addHelpText('after', example(IMPORT));

const importCommand = (): Command =>
  new Command('import')
    .description('Import a list of labels, packed with gzip or not.')
    .argument('<format>', LABEL_FORMATS.map(({ name }) => name).join(', '), parseFormat)
    .argument('<file>', 'the list')
    .option('--dry-run', 'read and check everything, store nothing')
    .option('--json', 'end with one JSON line of totals on stdout')
    .addOption(
      new Option('--chain <name>', 'chain of the addresses, where the list does not say it').choices(
        CHAINS.map(({ name }) => name),
      ),
    )
    .addOption(new Option('--kind <kind>', 'kind, where the list does not say it').choices(LABEL_KINDS))
    .option('--source <name>', 'name of the list; default: that of its format or file')
    .option('--whole <source>', 'the list is complete for its source: labels that it no longer has end')
    .option(
      '--accept <addresses>',
      'accusations to take although another list knows a service there, by commas, or all',
      parseAccepted,
    )
    .option('--columns <pairs>', 'how the file names our columns: address=Mint,name=Symbol', parseColumns)
    .addHelpText(
      'after',
      `\nFormats:\n${LABEL_FORMATS.map(({ name, describe }) => `  ${name.padEnd(14)} ${describe}`).join('\n')}
\nRows that the store holds already change nothing. The data lies in SPOOR_DATA (default ./data).`,
    )
    .addHelpText(
      'after',
      example(IMPORT, 'spoor labels import csv exchanges.csv --chain base --kind exchange'),
    )
    .action(async (format: LabelFormat, file: string, options: Options) => {
      process.exitCode = await importList(format, resolve(file), options, loadConfig(process.env));
    });

const parseFormat = (name: string): LabelFormat => {
  const format = LABEL_FORMATS.find((known) => known.name === name);
  if (!format) throw new InvalidArgumentError('This format is not known.');
  return format;
};

const parseAccepted = (text: string): ImportRequest['accepted'] =>
  text === 'all'
    ? 'all'
    : new Set(
        text
          .split(',')
          .map((part) => (part.trim().startsWith('0x') ? part.trim().toLowerCase() : part.trim())),
      );

const parseColumns = (text: string): Record<string, string> => {
  const pairs = text.split(',').map((pair) => pair.split('='));
  if (pairs.some((pair) => pair.length !== 2 || pair.includes('')))
    throw new InvalidArgumentError('Use pairs, such as address=Mint,name=Symbol.');
  return Object.fromEntries(pairs);
};

const importList = async (
  format: LabelFormat,
  path: string,
  options: Options,
  config: Config,
): Promise<number> => {
  const signal = interruptSignal();
  const progress = startProgress(process.stderr, Date.now);
  const dryRun = options.dryRun === true;
  const report = createImportReport(progress, { format: format.name, path, dryRun });
  const { events } = report;
  const read = async (store: Store | null): Promise<void> => {
    const voteAccounts = await whileWaiting('asking a node for the vote accounts', () =>
      readVoteAccounts(config, progress, signal),
    );
    const file = openLabelFile(path, options);
    const { accept: accepted } = options;
    const list = { format, file, events, reserved: OUR_SOURCES, voteAccounts, ...(accepted && { accepted }) };
    const ended = await readIn(list, options, store, signal);
    if (ended) report.ended(ended);
  };
  const folder = await runImport({ config, path, dryRun, progress, signal, read });
  progress.end();
  report.print({ store: folder, json: options.json === true });
  return signal.aborted ? EXIT.interrupted : EXIT.done;
};

/** Only a node knows all vote accounts. Without one, rows that do not mark them are accepted as they are. */
const readVoteAccounts = async (
  { chains }: Config,
  progress: Progress,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const url = chains.find(({ name }) => name === 'solana')?.rpcUrls[0];
  const none: ReadonlySet<string> = new Set();
  if (url === undefined) return none;
  return fetchVoteAccounts(createSolanaRpc({ url }), signal).catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error;
    progress.note(`vote accounts are only known by the words of the rows: ${error.message}`);
    return none;
  });
};

/** The shipped labels, which a store that never ran does not hold yet. */
const readCurated = async (
  known: KnownLabels,
  nowUnixSeconds: number,
  signal: AbortSignal,
): Promise<void> => {
  const events = { taken: () => {}, refused: () => {} };
  for (const file of curatedFiles())
    await importLabels({ format: curated, file, known, target: null, nowUnixSeconds, events }, signal);
};

/** Labels that the import ended; null if the list is not complete. */
const readIn = async (
  list: Omit<ImportRequest, 'known' | 'target' | 'nowUnixSeconds'>,
  { dryRun, whole: source }: Options,
  store: Store | null,
  signal: AbortSignal,
): Promise<Ended | null> => {
  const labels = store && (await openLabelEvents(store.registry));
  const known =
    store && labels
      ? await whileWaiting('reading the labels that are known', () =>
          KnownLabels.read(store.log, labels, source ?? null),
        )
      : new KnownLabels();
  const target = store && labels && !dryRun ? { log: store.log, labels } : null;
  const nowUnixSeconds = Math.floor(Date.now() / 1_000);
  await readCurated(known, nowUnixSeconds, signal);
  const said = await importLabels({ ...list, known, target, nowUnixSeconds }, signal);
  return source === undefined ? null : endMissing({ known, said, source, target, nowUnixSeconds });
};
