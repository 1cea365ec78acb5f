import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDecodePool } from './decode-pool.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spoor-decode-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const blockText = (slot: number, padding: number): string =>
  JSON.stringify({
    blockhash: `hash-${slot}`,
    previousBlockhash: `hash-${slot - 1}`,
    parentSlot: slot - 1,
    blockTime: 1_700_000_000,
    transactions: [],
    rewards: [],
    padding: 'x'.repeat(padding),
  });

test('every file is told its own answer, however long the files before it take', async () => {
  const SIZES = [8_000_000, 0, 3_000_000, 10, 1_000_000, 0];
  const paths = Array.from({ length: 24 }, (_, i) => {
    const text = blockText(1_000 + i, SIZES[i % SIZES.length] ?? 0);
    const isPacked = i % 2 === 0;
    const path = join(folder, `${1_000 + i}.json${isPacked ? '.gz' : ''}`);
    writeFileSync(path, i % 7 === 3 ? `${i}` : isPacked ? gzipSync(text) : text);
    return path;
  });
  const pool = createDecodePool(1);
  try {
    const answers = await Promise.all(paths.map((path) => pool.decode(path, null)));
    expect(answers.map((a) => (a.status === 'block' ? a.block.number : a.status))).toEqual(
      paths.map((_, i) => (i % 7 === 3 ? 'refused' : 1_000 + i)),
    );
  } finally {
    await pool.close();
  }
});

test('few files are decoded by one thread, many by all of them', async () => {
  const started: unknown[] = [];
  const onWorker = (worker: unknown) => void started.push(worker);
  process.on('worker', onWorker);
  const pool = createDecodePool(1);
  const decode = (count: number) =>
    Promise.all(Array.from({ length: count }, () => pool.decode(join(folder, '7.json'), null)));
  writeFileSync(join(folder, '7.json'), blockText(7, 0));
  try {
    expect(started).toHaveLength(0);
    await decode(16);
    expect(started).toHaveLength(1);
    await decode(2);
    expect(started).toHaveLength(pool.size);
  } finally {
    process.off('worker', onWorker);
    await pool.close();
  }
});

test('a file that is not there is unreadable, and the thread goes on', async () => {
  const pool = createDecodePool(1);
  writeFileSync(join(folder, '7.json'), blockText(7, 0));
  try {
    expect(await pool.decode(join(folder, '6.json'), null)).toMatchObject({ status: 'unreadable' });
    expect(await pool.decode(join(folder, '7.json'), null)).toMatchObject({ status: 'block' });
  } finally {
    await pool.close();
  }
});
