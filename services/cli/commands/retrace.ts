import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError } from 'commander';
import { showable } from '../../platform/showable.ts';
import { createSpoor } from '../../sdk/create-spoor.ts';
import { example } from '../example.ts';
import { EXIT_INTERRUPTED, interruptSignal } from '../interrupt.ts';
import { reachWarehouse } from '../reach-warehouse.ts';
import { duration, type Progress, startProgress } from '../reports/progress.ts';
import { type Anchor, parseAnchor } from '../retrace/anchor.ts';
import { openJournal } from '../retrace/journal.ts';
import { askRows, InputError, readRows } from '../retrace/read-rows.ts';
import type { KeptResult, Tracer } from '../retrace/result.ts';
import { createTracerHere } from '../retrace/trace-here.ts';
import { createTracerThere } from '../retrace/trace-there.ts';
import { traceWaves } from '../retrace/trace-waves.ts';
import { FORMATS, formatOf, writeResults } from '../retrace/write-results.ts';
import { type ServerOptions, withServerOptions } from '../server-options.ts';
import { withStore } from '../with-billing.ts';

type Options = ServerOptions & {
  readonly input?: string;
  readonly sql?: string;
  readonly out: string;
  readonly window?: number;
  readonly json?: boolean;
};

const REFUSALS_TOLD = 20;

/** `spoor retrace`: many transfers through services traced at once; resumable, and no anchor is traced or charged twice. */
export const retraceCommand = (): Command =>
  withServerOptions(
    new Command('retrace').description(
      'Trace many transfers through mixers and exchanges, and write what is found of each to a file.',
    ),
  )
    .option('--input <file>', 'anchors as .csv or .parquet, in the words of POST /trace')
    .option('--sql <query>', 'anchors from the tables of the local store')
    .requiredOption(
      '--out <file>',
      'results as .csv or .parquet (a row a candidate) or .jsonl (whole answers)',
      parseOut,
    )
    .option('--window <seconds>', 'how long to search, where a row does not say it', Number)
    .option('--local', 'trace over the store in SPOOR_DATA, many at once and free of charge')
    .option('--json', 'end with one JSON line of totals on stdout')
    .addHelpText(
      'after',
      '\nColumns: wallet, counterparty, signature, direction (in or out); optional: chain, time, sol, usd, window.\n' +
        'Rows that cannot be asked are named and left out. Ended before its end, the same command goes on where it was.',
    )
    .addHelpText('after', example('spoor retrace --local --input anchors.csv --out results.jsonl'))
    .action(async (options: Options) => {
      process.exitCode = await retrace({ ...options, out: resolve(options.out) });
    });

const parseOut = (path: string): string => {
  if (formatOf(path) !== null) return path;
  throw new InvalidArgumentError(`a name that ends with .${FORMATS.join(', .')} is meant`);
};

const retrace = async (options: Options): Promise<number> => {
  const { input, sql, out, local } = options;
  if ((input === undefined) === (sql === undefined))
    throw new InputError('either --input or --sql is needed');
  if (sql !== undefined && !local) throw new InputError('--sql reads the local store: add --local');
  if (existsSync(out)) throw new InputError(`${out} is there already: name another file, or delete it`);
  const signal = interruptSignal();
  const progress = startProgress(process.stderr, Date.now);
  const read = input === undefined ? null : () => readRows(resolve(input));
  if (!local) {
    const { url, key } = options;
    const spoor = createSpoor({ url, ...(key !== undefined && { key }) });
    return run(options, {
      signal,
      progress,
      rows: read ?? noRows,
      open: async (id) => createTracerThere(spoor, id),
    });
  }
  return withStore(async (store) => {
    const warehouse = await reachWarehouse(store);
    const { writer } = warehouse;
    try {
      const rows =
        sql === undefined
          ? (read ?? noRows)
          : async function* () {
              yield* await askRows(writer, sql);
            };
      return await run(options, { signal, progress, rows, open: () => createTracerHere(store, writer) });
    } finally {
      await warehouse.close();
    }
  });
};

async function* noRows() {}

type Running = {
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly rows: () => ReturnType<typeof readRows>;
  readonly open: (run: string) => Promise<Tracer>;
};

const run = async (options: Options, { signal, progress, rows, open }: Running): Promise<number> => {
  const { out, window } = options;
  const path = `${out}.unfinished`;
  const begun = { run: randomUUID(), input: await hashInput(options), options: JSON.stringify({ window }) };
  const journal = await openJournal(path, begun);
  if (journal.done > 0) progress.note(`${journal.done} anchors are done already; going on behind them`);
  const totals = { anchors: 0, refused_rows: 0, refused: 0, candidates: 0 };
  const startMs = performance.now();
  let traced = 0;
  const count = (result: KeptResult): void => {
    totals.anchors += 1;
    if ('refused' in result) totals.refused += 1;
    else totals.candidates += result.answer.candidates.length;
  };
  const onWave = (results: readonly KeptResult[]): void => {
    traced += results.length;
    const perSecond = traced / ((performance.now() - startMs) / 1_000);
    progress.update(`${journal.done + traced} anchors traced, ${perSecond.toFixed(1)} a second`);
  };
  async function* anchors(): AsyncGenerator<Anchor> {
    let place = 0;
    for await (const row of rows()) {
      const anchor = 'unreadable' in row ? { problem: row.unreadable } : parseAnchor(row, place, window);
      if ('problem' in anchor) {
        totals.refused_rows += 1;
        if (totals.refused_rows <= REFUSALS_TOLD)
          progress.note(`refused: ${row.at}: ${showable(anchor.problem)}`);
        continue;
      }
      place += 1;
      yield anchor;
    }
  }
  const tracer = await open(journal.run.run);
  try {
    await traceWaves(anchors(), { journal, tracer, signal }, onWave);
  } catch (error) {
    if (!signal.aborted) throw error;
    progress.end();
    progress.note('interrupted: what is traced is kept; the same command goes on from here');
    return EXIT_INTERRUPTED;
  } finally {
    await tracer.close();
  }
  await writeResults(out, counted(journal.results(), count));
  rmSync(path);
  progress.end();
  const { refused_rows: refusedRows } = totals;
  const seconds = duration((performance.now() - startMs) / 1_000);
  progress.note(
    `${totals.anchors} anchors in ${out}, ${traced} of them now in ${seconds}; ${refusedRows} rows refused`,
  );
  if (options.json)
    process.stdout.write(`${JSON.stringify({ name: 'retrace', out, ...totals, traced_now: traced })}\n`);
  return 0;
};

async function* counted(results: AsyncIterable<KeptResult>, count: (result: KeptResult) => void) {
  for await (const result of results) {
    count(result);
    yield result;
  }
}

/** A run goes on only with the same input. */
const hashInput = async ({ input, sql }: Options): Promise<string> => {
  const hash = createHash('sha256');
  if (input === undefined) return hash.update(sql ?? '').digest('hex');
  await pipeline(createReadStream(resolve(input)), hash).catch((error: unknown) => {
    throw new InputError(
      `${input} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  return hash.digest('hex');
};
