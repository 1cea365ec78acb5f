import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startChild } from '../faults/child.ts';
import { FAULT_TOPICS } from '../faults/fault-log.ts';
import { openForFaults } from './open-for-faults.ts';

const MODULE = join(import.meta.dirname, 'open-for-faults.ts');
const FILE_BYTES_MAX = 6_000_000;
/** Changes a limit of a running process; a part of Linux' own tools. */
const PRLIMIT = 'prlimit';
const hasPrlimit = spawnSync(PRLIMIT, ['--version']).status === 0;
const limitFiles = (pid: number | undefined, bytes: string): void => {
  expect(spawnSync(PRLIMIT, ['--pid', `${pid}`, `--fsize=${bytes}:unlimited`]).status).toBe(0);
};

const numbersAfter = (word: string, lines: readonly string[]): number[] =>
  lines.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.split(' ')[1]));

test.skipIf(!hasPrlimit)(
  'when the disk takes no more, exactly the refused appends are missing, and the log goes on when there is room',
  async () => {
    const place = await mkdtemp(join(tmpdir(), 'spoor-log-'));
    const child = startChild('append-until-refused.fault.ts', [MODULE, place]);
    try {
      await child.waitForLine('ready');
      limitFiles(child.process.pid, `${FILE_BYTES_MAX}`);
      child.process.stdin?.write('go\n');
      await child.waitForLine('refused once');
      const refused = child.lines().filter((line) => line.startsWith('refused ') && line !== 'refused once');
      expect(refused.length).toBeGreaterThan(0);
      for (const line of refused) expect(line).toMatch(/ log_(io|disk_full)$/);

      limitFiles(child.process.pid, 'unlimited');
      child.process.stdin?.write('once more\n');
      await child.waitForLine('done');
      const acknowledged = numbersAfter('acknowledged', child.lines());
      expect(acknowledged).toContain(Math.max(...acknowledged, ...numbersAfter('refused', refused)));
      await child.kill();

      const log = await openForFaults(place, FAULT_TOPICS);
      const records = await log.read({ topic: 'plain', partition: 0, offset: 0, maxBytes: 1e9 });
      await log.close();
      expect(records.map((r) => Number(r.value.toString()))).toEqual(acknowledged.toSorted((a, b) => a - b));
      expect(records.map((r) => r.offset)).toEqual(records.map((_, i) => i));
    } finally {
      await child.kill();
      await rm(place, { recursive: true });
    }
  },
);
