import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../platform/message-of.ts';
import { createSpoor } from '../../sdk/create-spoor.ts';
import { example } from '../example.ts';
import { EXIT_INTERRUPTED, interruptSignal } from '../interrupt.ts';
import { explainSilence } from '../questions/explain-silence.ts';
import { reachWarehouse } from '../reach-warehouse.ts';
import { startProgress } from '../reports/progress.ts';
import { holdOutput } from '../retrace/hold-output.ts';
import { askRows, InputError, readRows } from '../retrace/read-rows.ts';
import type { Tracer } from '../retrace/result.ts';
import { type Rows, runOnce } from '../retrace/run-once.ts';
import { createTracerByJob } from '../retrace/trace-by-job.ts';
import { createTracerHere } from '../retrace/trace-here.ts';
import { createTracerThere } from '../retrace/trace-there.ts';
import { FORMATS, formatOf } from '../retrace/write-results.ts';
import { chooseServer, type ServerOptions, withServerOptions } from '../server-options.ts';
import { withStore } from '../with-billing.ts';

type Options = ServerOptions & {
  readonly input?: string;
  readonly sql?: string;
  readonly out: string;
  readonly window?: number;
  readonly again?: boolean;
  readonly every?: number;
  readonly json?: boolean;
};

/** `spoor retrace`: traces many transfers at once; resumable, and no anchor is traced or charged twice. */
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
    .option(
      '--again',
      'trace once more what is in --out (results.jsonl), and append what changed to results.changes.jsonl',
    )
    .option('--every <seconds>', 'do that again and again, so many seconds after each end', parseSeconds)
    .option('--local', 'trace over the store in SPOOR_DATA, many at once and free of charge')
    .option('--json', 'end with one JSON line of totals on stdout')
    .addHelpText(
      'after',
      '\nColumns: wallet, counterparty, signature, direction (in or out); optional: chain, time, sol, usd, window.\n' +
        'Invalid rows are named and left out. After an interruption the same command goes on where it was.',
    )
    .addHelpText('after', example('spoor retrace --local --input anchors.csv --out results.jsonl'))
    .action(async (options: Options) => {
      process.exitCode = await retrace({ ...options, out: resolve(options.out) });
    });

const parseOut = (path: string): string => {
  if (formatOf(path) !== null) return path;
  throw new InvalidArgumentError(`use a name that ends with .${FORMATS.join(', .')}`);
};

const parseSeconds = (text: string): number => {
  const seconds = Number(text);
  if (Number.isSafeInteger(seconds) && seconds >= 1 && seconds <= 2_000_000) return seconds;
  throw new InvalidArgumentError('use a whole number of seconds from 1 to 2000000');
};

const retrace = async (options: Options): Promise<number> => {
  const { input, sql, local } = options;
  if ((input === undefined) === (sql === undefined))
    throw new InputError('either --input or --sql is needed');
  if (sql !== undefined && !local) throw new InputError('--sql reads the local store: add --local');
  const release = holdOutput(options.out);
  try {
    return await retraceHeld(options);
  } finally {
    release();
  }
};

/** While no other run writes the same file. */
const retraceHeld = async (options: Options): Promise<number> => {
  const { out, again, every } = options;
  const comparing = again || every !== undefined;
  if (comparing && formatOf(out) !== 'jsonl')
    throw new InputError('--again and --every compare whole answers: name a .jsonl by --out');
  if (!comparing && existsSync(out))
    throw new InputError(`${out} is there already: add --again, name another file, or delete it`);
  if (again && !existsSync(out))
    throw new InputError(`${out} is not there yet: leave --again out the first time`);
  const signal = interruptSignal();
  if (every === undefined) return traceOnce(options, signal);
  for (;;) {
    const code = await traceOnce(options, signal).catch((error: unknown) => {
      if (error instanceof InputError) throw error;
      process.stderr.write(`trying again in ${every} s: ${messageOf(error)}\n`);
      return 0;
    });
    if (code !== 0) return code;
    await sleep(1_000 * every, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return EXIT_INTERRUPTED;
  }
};

const traceOnce = async (options: Options, signal: AbortSignal): Promise<number> => {
  const { input, sql, out, window, local, json = false } = options;
  const progress = startProgress(process.stderr, Date.now);
  const changes = existsSync(out) ? out.replace(/jsonl$/, 'changes.jsonl') : null;
  const running = { out, window, json, changes, signal, progress };
  if (!local) {
    const { key } = options;
    const url = chooseServer(options);
    const spoor = createSpoor({ url, ...(key !== undefined && { key }) });
    const rows = await rowsOfFile(input ?? '');
    const onDone = (done: number): void => progress.update(`${done} anchors of a job traced`);
    // Jobs are charged to an account.
    const open = async (run: string): Promise<Tracer> =>
      key === undefined ? createTracerThere(spoor, run) : createTracerByJob(spoor, run, { onDone });
    const asked = runOnce({ ...running, rows, open });
    return asked.catch(explainSilence(url));
  }
  return withStore(async (store) => {
    const warehouse = await reachWarehouse(store);
    const { writer } = warehouse;
    try {
      const rows = sql === undefined ? await rowsOfFile(input ?? '') : await rowsOfQuestion(writer, sql);
      return await runOnce({ ...running, rows, open: () => createTracerHere(store, writer) });
    } finally {
      await warehouse.close();
    }
  });
};

const rowsOfFile = async (input: string): Promise<Rows> => {
  const path = resolve(input);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash).catch((error: unknown) => {
    throw new InputError(`${input} cannot be read: ${messageOf(error)}`);
  });
  return { hash: hash.digest('hex'), read: () => readRows(path) };
};

const rowsOfQuestion = async (...asked: Parameters<typeof askRows>): Promise<Rows> => {
  const rows = await askRows(...asked);
  return { hash: createHash('sha256').update(JSON.stringify(rows)).digest('hex'), read: () => rows };
};
