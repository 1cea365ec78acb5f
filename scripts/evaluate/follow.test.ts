import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { describeWithSharedData, sharedData } from '../../services/testing/shared-data.ts';
import { temporaryFolder } from '../../services/testing/temporary-folder.ts';
import { UsageError } from '../bench/run-chosen.ts';
import { evaluation } from './follow.ts';

const figuresOf = async (folder: string, ...options: string[]): Promise<Record<string, number>> => {
  const figures = await evaluation.run(['--case', folder, ...options]);
  const untimed = figures.filter(({ name }) => !name.endsWith('_s'));
  return Object.fromEntries(untimed.map(({ name, value }) => [name.replace('follow.', ''), value]));
};

const HEADER = 'chain,block_number,time_unix,tx_hash,log_index_or_seq,from,to,asset,amount,usd';
/** Letters in it, so that its case matters. */
const wallet = (digit: string): string => `0x${'ab'.repeat(19)}0${digit}`;
const [A, B, END, EARLY] = ['1', '2', '3', '4'].map(wallet) as [string, string, string, string];
const row = (time: number, from: string, to: string, usd: number | string, chain = 'ethereum'): string =>
  `${chain},${time},${time},0x${time},0,${from},${to},USD,${usd},${usd}`;
const CASE = {
  rows: [row(10, A, B, 9), row(20, B, END, 9), row(5, B, EARLY, 9)],
  terminals: [{ address: END }, { address: EARLY }],
  start_addresses: [{ address: A }],
};

const caseOf = ({ rows, ...lists }: Partial<typeof CASE>): string => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'transfers.csv'), [HEADER, ...(rows ?? [])].join('\n'));
  writeFileSync(join(folder, 'case.json'), JSON.stringify(lists));
  return folder;
};

test('of a case, a terminal counts as reached where the money could reach it in time, and is named', async () => {
  const folder = caseOf(CASE);
  expect(await figuresOf(folder, '--decoys', '0')).toMatchObject({
    ...{ terminals_reached: 1, terminals_reachable: 1, share: 1, precision: 1 },
    ...{ value_followed_share: 1, calls: 1, case_edges: 3 },
  });
  expect(await figuresOf(folder, '--decoys', '3')).toMatchObject({ terminals_reachable: 1, case_edges: 3 });
});

test('a case gives the same figures however its addresses are written', async () => {
  const plain = await figuresOf(caseOf(CASE), '--decoys', '0');
  const upper = (address: string): string => `0x${address.slice(2).toUpperCase()}`;
  const rows = CASE.rows.map((line, at) => (at === 0 ? line.replace(B, upper(B)) : line));
  expect(await figuresOf(caseOf({ ...CASE, rows }), '--decoys', '0')).toEqual(plain);
  const start_addresses = [{ address: upper(A) }];
  expect(await figuresOf(caseOf({ ...CASE, start_addresses }), '--decoys', '0')).toEqual(plain);
});

test('a case gives the same figures in whatever order rows of one second stand', async () => {
  const within = (hash: string, from: string, to: string): string =>
    row(10, from, to, 9).replace('0x10', hash);
  // Named against the way of the money, which goes round once on it.
  const rows = [
    within('0xd', A, B),
    within('0xc', B, EARLY),
    within('0xb', EARLY, B),
    within('0xa', EARLY, END),
  ];
  const figures = await figuresOf(caseOf({ ...CASE, rows }));
  expect(figures).toMatchObject({ terminals_reachable: 2 });
  expect(await figuresOf(caseOf({ ...CASE, rows: rows.toReversed() }))).toEqual(figures);
  const through = [within('0xd', A, B), within('0xa', B, END)];
  for (const listed of [through, through.toReversed()]) {
    const found = await figuresOf(caseOf({ ...CASE, rows: listed }), '--decoys', '0');
    expect(found).toMatchObject({ terminals_reachable: 1, terminals_reached: 1 });
  }
});

test('where no terminal can be reached, figures say 0, not nothing', async () => {
  const figures = await figuresOf(caseOf({ ...CASE, terminals: [{ address: EARLY }] }), '--decoys', '0');
  expect(figures).toMatchObject({ terminals_reachable: 0, share: 0, value_followed_share: 0 });
});

test.each<[string, Partial<typeof CASE>, RegExp]>([
  ['no row that is good', { rows: [row(1_721_131_487_000, A, B, 9)] }, /line 2, column time_unix/],
  ['a start that paid nobody', { start_addresses: [{ address: END }] }, /case\.json: start_addresses/],
  [
    'a start that is no address',
    { start_addresses: [{ address: 'a' }] },
    /start_addresses\[0\]\.address: a is/,
  ],
  ['no terminals', { terminals: [] }, /case\.json: .*\n.*terminals/],
])('a case with %s is refused, saying where', async (_, part, where) => {
  await expect(evaluation.run(['--case', caseOf({ ...CASE, ...part })])).rejects.toThrow(where);
});

test.each<[string, string, RegExp]>([
  ['a time in milliseconds', row(1_721_131_487_000, A, B, 9), /line 5, column time_unix/],
  ['an amount below 0', row(11, A, B, '-9'), /line 5, column usd/],
  ['another chain', row(11, A, B, 9, 'base'), /line 5, column chain/],
  ['too few cells', 'ethereum,11', /line 5/],
])('a row with %s is left out and told by its line, and the others count', async (_, broken, where) => {
  const told: string[] = [];
  const writing = vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0);
  const figures = await figuresOf(caseOf({ ...CASE, rows: [...CASE.rows, broken] }), '--decoys', '0');
  writing.mockRestore();
  expect(figures).toMatchObject({ rows_refused: 1, case_edges: 3, share: 1, precision: 1 });
  expect(told.join('')).toMatch(where);
});

test('a gzipped case gives the same figures', async () => {
  const plain = caseOf(CASE);
  const packed = temporaryFolder();
  for (const name of ['transfers.csv', 'case.json'])
    writeFileSync(join(packed, `${name}.gz`), gzipSync(readFileSync(join(plain, name))));
  expect(await figuresOf(packed, '--decoys', '0')).toEqual(await figuresOf(plain, '--decoys', '0'));
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
