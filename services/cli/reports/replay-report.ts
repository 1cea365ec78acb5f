import type { ReplayEvents } from '../../ingest/files/replay.ts';
import type { FilesToRead } from './count-files.ts';
import { bar, duration, type Progress } from './progress.ts';
import type { Refusal } from './refused-by-tables.ts';

export type ReplayReport = {
  readonly events: ReplayEvents;
  readonly ignored: (path: string) => void;
  /** Records that the tables refused. */
  readonly buried: (refusals: readonly Refusal[]) => void;
  /** Whether something named was neither stored nor refused as a file. */
  hasFailed(): boolean;
  /**
   * What was read and what was not; `folder` is null if nothing was kept. With `json` also one line of totals on
   * stdout.
   */
  print(options: { folder: string | null; json: boolean }): void;
};

type Failure = { readonly path: string; readonly code: string; readonly reason: string };
type Problem = {
  readonly path: string;
  readonly chain: string;
  readonly block_number: number;
  readonly tx_index: number | null;
  readonly message: string;
};

// A million broken files must not fill the memory; each is printed as it is met.
const FAILURES_LISTED_MAX = 1_000;
// Files repeated at the end for a person.
const FAILURES_SUMMED_UP_MAX = 20;

const inWords = ({ path, code, reason }: Failure): string => `not read: ${path}: ${code}: ${reason}`;

type Totals = ReturnType<typeof newTotals>;

const newTotals = () => ({
  blocks: 0,
  movements: 0,
  bytes: 0,
  done_before: 0,
  refused_before: 0,
  refused: 0,
  unreadable: 0,
  ignored: 0,
  /** Counts of read records by reason. */
  refused_by_tables: {} as Record<string, number>,
  problems: {} as Record<string, number>,
  first_problems: {} as Record<string, Problem>,
  exempt: {} as Record<string, number>,
  failures: [] as Failure[],
});

const add = (counts: Record<string, number>, name: string, count: number): void => {
  counts[name] = (counts[name] ?? 0) + count;
};

const addBlock = (totals: Totals, { path, bytes, block }: Parameters<ReplayEvents['stored']>[0]): void => {
  const { chain, number: block_number } = block;
  totals.blocks += 1;
  totals.movements += block.movements;
  totals.bytes += bytes;
  for (const [code, count] of Object.entries(block.problems)) add(totals.problems, code, count);
  for (const { code, txIndex: tx_index, message } of block.firstProblems)
    totals.first_problems[code] ??= { path, chain, block_number, tx_index, message };
  for (const [reason, count] of Object.entries(block.exempt)) add(totals.exempt, reason, count);
};

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** What was left out, and where it is listed. */
const sumUp = (totals: Totals, failed: number): string[] => {
  const lines = [
    `${totals.done_before} files were done before, ${totals.ignored} are no block files`,
    `${totals.refused + totals.refused_before} files are broken, ${totals.unreadable} could not be read`,
    ...totals.failures.slice(0, FAILURES_SUMMED_UP_MAX).map(inWords),
  ];
  if (failed > FAILURES_SUMMED_UP_MAX)
    lines.push(`and ${failed - FAILURES_SUMMED_UP_MAX} more, each named above`);
  for (const [reason, count] of Object.entries(totals.refused_by_tables))
    lines.push(`the tables refused ${count} records of what was read, now dead letters: ${reason}`);
  if (Object.keys(totals.problems).length > 0) lines.push(`not decoded: ${listed(totals.problems)}`);
  for (const [code, problem] of Object.entries(totals.first_problems)) {
    const { path, chain, block_number: number, tx_index: txIndex, message } = problem;
    const place = txIndex === null ? '' : `, transaction ${txIndex}`;
    lines.push(`  ${code}, first in block ${number} of ${chain}${place} (${path}): ${message}`);
  }
  if (Object.keys(totals.exempt).length > 0) lines.push(`exempt from the sum rule: ${listed(totals.exempt)}`);
  return lines;
};

/** Counts a replay's files, shows progress, and prints totals at the end. */
export const createReplayReport = (
  progress: Progress,
  total: FilesToRead,
  now: () => number = Date.now,
): ReplayReport => {
  const totals = newTotals();
  const startedMs = now();
  let done = 0;
  let failed = 0;

  const show = (): void => {
    const seconds = Math.max(0.001, (now() - startedMs) / 1_000);
    const share = total.files === 0 ? 1 : done / total.files;
    const left = duration(share > 0 ? seconds / share - seconds : Number.POSITIVE_INFINITY);
    const rate = Math.round(totals.movements / seconds);
    progress.update(
      `${bar(share)} ${done}/${total.files} files, ${totals.blocks} blocks, ${rate} transfers/s, ${left} left`,
    );
  };
  const fail = (failure: Failure): void => {
    if (totals.failures.length < FAILURES_LISTED_MAX) totals.failures.push(failure);
    failed += 1;
    progress.note(inWords(failure));
  };

  const events: ReplayEvents = {
    stored: (file) => {
      done += 1;
      addBlock(totals, file);
      show();
    },
    skipped: ({ path, refused }) => {
      done += 1;
      if (refused !== null) {
        totals.refused_before += 1;
        const [code = ''] = refused.split(':', 1);
        fail({ path, code, reason: refused.slice(code.length + 2) });
      } else totals.done_before += 1;
      show();
    },
    refused: ({ path, code, reason }) => {
      done += 1;
      totals.refused += 1;
      fail({ path, code, reason });
    },
    unreadable: ({ path, reason }) => {
      done += 1;
      totals.unreadable += 1;
      fail({ path, code: 'unreadable', reason });
    },
  };

  return {
    events,
    ignored: () => {
      totals.ignored += 1;
    },
    buried: (refusals) => {
      for (const { reason } of refusals) add(totals.refused_by_tables, reason, 1);
    },
    hasFailed: () => totals.unreadable > 0 || Object.keys(totals.refused_by_tables).length > 0,
    print: ({ folder, json }) => {
      const seconds = (now() - startedMs) / 1_000;
      const work = `${totals.blocks} blocks with ${totals.movements} transfers in ${duration(seconds)}`;
      progress.note(folder === null ? 'there is no block: nothing was kept' : `${work}; data in ${folder}`);
      for (const line of sumUp(totals, failed)) progress.note(line);
      if (json) process.stdout.write(`${JSON.stringify({ name: 'replay', ...totals, seconds })}\n`);
    },
  };
};
