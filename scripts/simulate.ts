/**
 * `npm run -s simulate -- --seeds A..B`: one JSON line a failing seed, and a summary as the last. The same seed fails the
 * same way. Exit 1 if any failed, 2 for wrong usage.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCodecs } from '../services/testing/simulation/open-codecs.ts';
import { simulate } from '../services/testing/simulation/simulate.ts';

const USAGE = 'usage: npm run -s simulate -- --seeds A..B   (whole numbers, A not above B)\n';
const PROGRESS_EVERY = 1_000;

const simulateAll = async (first: number, last: number): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-simulate-'));
  const totals = { failed: 0, commands: 0, crashes: 0 };
  try {
    const codecs = await openCodecs(folder);
    for (let seed = first; seed <= last; seed++) {
      const result = await simulate(seed, { codecs });
      totals.commands += result.commands;
      totals.crashes += result.crashes;
      if (result.problems.length > 0) {
        totals.failed += 1;
        process.stdout.write(`${JSON.stringify(result)}\n`);
      }
      if (seed % PROGRESS_EVERY === 0) process.stderr.write(`seed ${seed}: ${totals.failed} failed so far\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${JSON.stringify({ name: 'simulate', seeds: last - first + 1, ...totals })}\n`);
  return totals.failed;
};

const [option, range = ''] = process.argv.slice(2);
const [, first, last] = (/^(\d{1,9})\.\.(\d{1,9})$/.exec(range) ?? []).map(Number);
if (option !== '--seeds' || first === undefined || last === undefined || first > last) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else if ((await simulateAll(first, last)) > 0) process.exitCode = 1;
