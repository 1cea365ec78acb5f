import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { figuresOf } from '../../testing/figures-of.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

test('deposit addresses of a generated world are found as well as they have to be', async () => {
  const found = await figuresOf('evaluate', 'deposit-addresses', '--world', '2', '--people', '20');
  expect(found).toMatchObject({
    'deposit-addresses.precision': { met: true },
    'deposit-addresses.recall': { met: true },
  });
});

test('prices of a generated world are as right as they have to be', async () => {
  const prices = await figuresOf('evaluate', 'prices', '--world', '2');
  expect(prices['prices.median_relative_error']).toMatchObject({ met: true });
  expect(prices['prices.answered_share']?.value).toBeGreaterThan(0.9);
});

test('a benchmark of deriving tells how fast each fact is derived', async () => {
  const derive = await figuresOf('bench', 'derive', '--transfers', '100000');
  for (const name of ['derive.transfers_per_s', 'derive.increment_over_all'])
    expect(Object.keys(derive[name]?.details ?? {})).toEqual(
      expect.arrayContaining(['deposit-addresses', 'first-funders', 'lookalikes', 'market-trades', 'prices']),
    );
});

test('a replay is measured on a folder of EVM blocks, and all its copies are in the tables', async () => {
  const folder = temporaryFolder();
  const block = join(folder, 'base', '7');
  mkdirSync(block, { recursive: true });
  const hash = `0x${'ab'.repeat(32)}`;
  const header = { number: '0x7', hash, parentHash: `0x${'cd'.repeat(32)}`, timestamp: '0x64000000' };
  const filler = 'f'.repeat(6_000_000);
  const whole = { ...header, miner: `0x${'00'.repeat(20)}`, baseFeePerGas: '0x1', transactions: [], filler };
  writeFileSync(join(block, 'block.json'), JSON.stringify(whole));
  writeFileSync(join(block, 'receipts.json'), '[]');
  writeFileSync(join(folder, 'broken.json'), '{');
  // It throws unless each copy is a block of its own in the tables.
  const size = ['--transfers', '2000', '--runs', '1', '--megabytes', '60'];
  const figures = await figuresOf('bench', 'pipeline', ...size, '--blocks', folder);
  expect(figures['pipeline.replay_over_json_parse']?.value).toBeGreaterThan(0);
});
