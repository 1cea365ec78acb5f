import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { type Change, compareResults } from '../../retrace/compare-results.ts';
import { jsonLine } from './json-line.ts';
import type { KeptResult, Result } from './result.ts';

export type ChangeTotals = { changed: number; new: number; lost: number; moved: number; anchors_new: number };

/** Keyed by request, because the same transfer may be on another line now. */
const keyOf = (body: object): string =>
  JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)));

type Line = Result & { readonly anchor: object };

/** Results of an earlier run, by anchor. */
export const readEarlier = async (path: string): Promise<ReadonlyMap<string, Result>> => {
  const earlier = new Map<string, Result>();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const { anchor, ...result } = JSON.parse(line) as Line;
    earlier.set(keyOf(anchor), result as Result);
  }
  return earlier;
};

/** Appends changes since the earlier results, one line an anchor. Repeating it for a run adds nothing. */
export const reportChanges = async (
  path: string,
  {
    run,
    earlier,
    results,
  }: {
    readonly run: string;
    readonly earlier: ReadonlyMap<string, Result>;
    readonly results: AsyncIterable<KeptResult>;
  },
): Promise<ChangeTotals> => {
  const totals: ChangeTotals = { changed: 0, new: 0, lost: 0, moved: 0, anchors_new: 0 };
  if (existsSync(path)) await cutRun(path, run);
  const file = openSync(path, 'a');
  const time = Math.floor(Date.now() / 1_000);
  const write = (line: object): void => {
    const bytes = Buffer.from(jsonLine({ run, time, ...line }));
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  };
  try {
    for await (const { at, body: anchor, place: _, ...result } of results) {
      const before = earlier.get(keyOf(anchor));
      if (before === undefined) {
        totals.anchors_new += 1;
        write({ at, anchor, is_new: true });
        continue;
      }
      const change = compareResults(before, result as Result);
      if (change === null) continue;
      count(totals, change);
      write({ at, anchor, is_new: false, ...change });
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return totals;
};

const count = (totals: ChangeTotals, change: Change): void => {
  totals.changed += 1;
  totals.new += change.new.length;
  totals.lost += change.lost.length;
  totals.moved += change.moved.length;
};

/** Lines of this run from before a crash; they are the last ones. */
const cutRun = async (path: string, run: string): Promise<void> => {
  let whole = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (!line.endsWith('}') || line.startsWith(`{"run":"${run}"`)) break;
    whole += Buffer.byteLength(line) + 1;
  }
  truncateSync(path, whole);
};
