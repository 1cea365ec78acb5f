import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { jsonLine } from './json-line.ts';
import type { KeptResult } from './result.ts';

/** The parameters of a run: other input or options make another run. */
export type Run = { readonly run: string; readonly input: string; readonly options: string };

export class OtherRunError extends Error {
  readonly code = 'other_run';
  constructor(path: string) {
    super(
      `${path} is an unfinished run of another input or with other options: end that one first, or delete the file to begin anew.`,
    );
    this.name = 'OtherRunError';
  }
}

/**
 * Results as lines of JSON beside the final file, behind a first line that names the run. A half-written line
 * after a crash is cut off; whole lines are done.
 */
export type Journal = {
  readonly run: Run;
  /** Anchors done so far, from the first on. */
  readonly done: number;
  /** Durable on return. */
  append(results: readonly KeptResult[]): void;
  results(): AsyncGenerator<KeptResult>;
};

export const openJournal = async (path: string, begun: Run): Promise<Journal> => {
  const { run, done } = existsSync(path) ? await recover(path, begun) : { run: begun, done: -1 };
  // A repeating run may last for months, so no file stays open.
  const write = (lines: readonly object[]): void => {
    const file = openSync(path, 'a');
    try {
      const bytes = Buffer.from(lines.map(jsonLine).join(''));
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  };
  if (done < 0) write([run]);
  return {
    run,
    done: Math.max(0, done),
    append: write,
    results: async function* () {
      let isFirst = true;
      for await (const line of createInterface({ input: createReadStream(path) })) {
        if (!isFirst) yield JSON.parse(line) as KeptResult;
        isFirst = false;
      }
    },
  };
};

/** `done` is -1 if not even the first line was written. */
const recover = async (path: string, begun: Run): Promise<{ readonly run: Run; readonly done: number }> => {
  let whole = 0;
  let lines = 0;
  let run = begun;
  const size = statSync(path).size;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const bytes = Buffer.byteLength(line) + 1;
    if (whole + bytes > size) break;
    if (lines === 0) run = JSON.parse(line) as Run;
    whole += bytes;
    lines += 1;
  }
  truncateSync(path, whole);
  if (run.input !== begun.input || run.options !== begun.options) throw new OtherRunError(path);
  return { run, done: lines - 1 };
};
