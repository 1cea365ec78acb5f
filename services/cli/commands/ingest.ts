import { Command, InvalidArgumentError } from 'commander';
import { createAnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import { FinishedRanges, type RangeIngested } from '../../ingest/range/finished-ranges.ts';
import { ingestRange } from '../../ingest/range/ingest-range.ts';
import { openCodec } from '../../platform/avro/codec.ts';
import { type Config, loadConfig } from '../../platform/config/config.ts';
import { openSource } from '../../roles/ingest/open-source.ts';
import type { Store } from '../../roles/store/open-store.ts';
import { example } from '../example.ts';
import { fillTables } from '../fill-tables.ts';
import { EXIT_INTERRUPTED, interruptSignal } from '../interrupt.ts';
import { openToldStore } from '../open-told-store.ts';
import { createIngestReport, type IngestReport } from '../reports/ingest-report.ts';
import { type Progress, startProgress } from '../reports/progress.ts';
import { whileWaiting } from '../reports/start-waiting.ts';

type Options = { chain: string; from: number; to?: number; json?: boolean };

const EXIT = { done: 0, interrupted: EXIT_INTERRUPTED };
const PARALLEL = 16;
const ANSWER_BYTES_MAX = 128 << 20;

/** The requested blocks are not available. */
class IngestError extends Error {
  override readonly name = 'IngestError';
  readonly code: 'chain_not_configured' | 'range_not_final';
  constructor(code: IngestError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const blockNumber = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('a block or slot is a whole number.');
  return Number(text);
};

/** `spoor ingest`: reads a range of finalised blocks from a chain's nodes into the log and the tables; resumable. */
export const ingestCommand = (): Command =>
  new Command('ingest')
    .description('Ingest a range of finalised blocks from the nodes that SPOOR_CHAINS names.')
    .requiredOption('--chain <name>', 'chain in SPOOR_CHAINS')
    .requiredOption('--from <number>', 'first block or slot', blockNumber)
    .option('--to <number>', 'last block or slot; without it the newest final one', blockNumber)
    .option('--json', 'end with one JSON line of totals on stdout')
    .addHelpText(
      'after',
      '\nBlocks that an earlier run was done with are not asked for again. The data lies in SPOOR_DATA (default ./data).',
    )
    .addHelpText('after', example('spoor ingest --chain solana --from 250000000 --to 250001000'))
    .action(async (options: Options) => {
      process.exitCode = await ingestBlocks(options, loadConfig(process.env));
    });

const ingestBlocks = async (options: Options, config: Config): Promise<number> => {
  const signal = interruptSignal();
  const progress = startProgress(process.stderr, Date.now);
  const source = openFinalSource(options.chain, config, progress);
  const range = {
    first: options.from,
    last: await lastOf(options, () =>
      whileWaiting('asking a node for its newest block', () => source.head(signal)),
    ),
  };
  const store = await openToldStore(config, 'chain');
  try {
    const finished = await readFinished(store, progress);
    const report = createIngestReport(progress, {
      ...range,
      missing: finished.missing(options.chain, range),
    });
    const { log, encodeBlock: encode } = store;
    const ingesting = { source, log, encode, finished, parallel: PARALLEL, events: report.events };
    await fillTables(store, { config, progress, signal }, () => ingestRange(ingesting, range, signal));
    finish(report, store, options);
    return signal.aborted ? EXIT.interrupted : EXIT.done;
  } finally {
    await store.close();
  }
};

const finish = (report: IngestReport, { folder }: Store, { chain, json }: Options): void =>
  report.print({ chain, folder, json: json === true });

const openFinalSource = (name: string, { chains }: Config, progress: Progress) => {
  const nodes = chains.find((chain) => chain.name === name);
  if (!nodes)
    throw new IngestError(
      'chain_not_configured',
      `SPOOR_CHAINS names no node of the chain given with --chain`,
    );
  return openSource(
    { ...nodes, commitment: 'finalized' },
    {
      budget: createAnswerBudget(ANSWER_BYTES_MAX),
      rested: ({ endpoint, error }) => progress.note(`endpoint ${endpoint + 1}: ${error.message}`),
    },
  );
};

const lastOf = async ({ from, to }: Options, readHead: () => Promise<number>): Promise<number> => {
  const head = await readHead();
  const last = to ?? head;
  if (last > head)
    throw new IngestError('range_not_final', `the newest final block is ${head}: --to may not be above it`);
  if (from > last)
    throw new IngestError('range_not_final', `--from ${from} is above the last block of the range, ${last}`);
  return last;
};

const readFinished = async ({ log, registry }: Store, progress: Progress): Promise<FinishedRanges> => {
  const codec = await openCodec<RangeIngested>(registry, 'RangeIngested');
  return whileWaiting('reading what was ingested before', () =>
    FinishedRanges.read(log, codec, ({ message }) => progress.note(message)),
  );
};
