import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithSharedData, sharedData } from '../../services/testing/shared-data.ts';
import { temporaryFolder } from '../../services/testing/temporary-folder.ts';
import { UsageError } from '../bench/run-chosen.ts';
import { evaluation } from './follow.ts';

const figuresOf = async (folder: string, ...options: string[]): Promise<Record<string, number>> => {
  const figures = await evaluation.run(['--case', folder, ...options]);
  return Object.fromEntries(figures.map(({ name, value }) => [name.replace('follow.', ''), value]));
};

test('of a case, a terminal counts as reached where the money could reach it in time, and is named', async () => {
  const folder = temporaryFolder();
  const row = (time: number, from: string, to: string, usd: number): string =>
    `ethereum,${time},${time},0x${time},0,${from},${to},USD,${usd},${usd}`;
  const header = 'chain,block_number,time_unix,tx_hash,log_index_or_seq,from,to,asset,amount,usd';
  const rows = [row(10, 'a', 'b', 9), row(20, 'b', 'end', 9), row(5, 'b', 'too early', 9)];
  writeFileSync(join(folder, 'transfers.csv'), [header, ...rows].join('\n'));
  const terminals = [{ address: 'end' }, { address: 'too early' }];
  const start_addresses = [{ address: 'a' }];
  writeFileSync(join(folder, 'case.json'), JSON.stringify({ start_addresses, terminals }));
  expect(await figuresOf(folder, '--decoys', '0')).toMatchObject({
    ...{ terminals_reached: 1, terminals_reachable: 1, share: 1, precision: 1 },
    ...{ value_followed_share: 1, calls: 1, case_edges: 3 },
  });
  expect(await figuresOf(folder, '--decoys', '3')).toMatchObject({ terminals_reachable: 1, case_edges: 3 });
});

test('without a case, or with decoys that are no number, it is wrong usage', async () => {
  await expect(evaluation.run([])).rejects.toThrow(UsageError);
  await expect(evaluation.run(['--case', 'any', '--decoys', 'many'])).rejects.toThrow(UsageError);
});

describeWithSharedData('real thefts', () => {
  const lifi = sharedData('truth/follow/lifi-2024');
  const phishing = sharedData('truth/follow/phishing-54m');

  test('are followed to nearly all of their ends, naming nobody else, where nobody else pays', async () => {
    expect(await figuresOf(lifi, '--decoys', '0')).toMatchObject({ share: 1, precision: 1 });
    const { share, precision } = await figuresOf(phishing, '--decoys', '0');
    expect(share).toBeGreaterThan(0.8);
    expect(precision).toBe(1);
  });

  test('among strangers give the same figures for the same seed, and others for another', async () => {
    const first = await figuresOf(lifi, '--decoys', '2', '--seed', '1');
    expect(await figuresOf(lifi, '--decoys', '2', '--seed', '1')).toEqual(first);
    expect(await figuresOf(lifi, '--decoys', '2', '--seed', '2')).not.toEqual(first);
    expect(first.share).toBeGreaterThanOrEqual(0.9);
    expect(first.precision).toBeGreaterThanOrEqual(0.8);
  });
});
