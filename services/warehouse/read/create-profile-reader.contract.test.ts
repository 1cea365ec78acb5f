import { beforeAll, expect, test } from 'vitest';
import type { ProfileReader } from '../../investigate/model/profile-reader.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { granules, IndexStage } from '../../testing/index-stage.ts';
import { createMemoryProfileReader } from '../../testing/memory/memory-profile-reader.ts';
import { CHAINS, randomBlocks, WALLETS } from '../../testing/random-blocks.ts';
import { insertLabels } from '../labels/insert-labels.ts';
import { createProfileReader } from './create-profile-reader.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const blocks = randomBlocks(20_261_127);
const memory = createMemoryProfileReader(blocks);
const stage = new IndexStage();
let tables: ProfileReader;

/** The index stage's own rows are of Solana: these tests ask about wallets that it does not know. */
const everyWallet = CHAINS.flatMap((chain) =>
  [...WALLETS, 'stranger'].map((wallet) => ({ chain, wallet, ...limits })),
);

beforeAll(async () => {
  for (const part of [0, 1]) await stage.insert(blocks.filter((_, index) => index % 2 === part));
  tables = createProfileReader(stage.warehouse.reader);
});

const same = async (
  ask: (reader: ProfileReader, wallet: (typeof everyWallet)[number]) => Promise<unknown>,
) => {
  const found: unknown[] = [];
  for (const wallet of everyWallet) {
    const expected = await ask(memory, wallet);
    expect(await ask(tables, wallet)).toEqual(expected);
    found.push(expected);
  }
  return found;
};

test('rows of a wallet are the same as in memory, newest first, up to the limit', async () => {
  const found = await same((reader, wallet) => reader.entries({ ...wallet, limit: 100_000 }));
  expect(found.flat().length).toBeGreaterThan(500);
  await same((reader, wallet) => reader.entries({ ...wallet, limit: 7 }));
});

test('sums are of every row and exact, whatever their size', async () => {
  const found = await same((reader, wallet) => reader.summary(wallet));
  expect(found.filter((each) => each === null)).toHaveLength(CHAINS.length);
});

test('transactions are counted exactly up to the limit', async () => {
  const counts = await same((reader, wallet) => reader.transactionCount({ ...wallet, limit: 1_001 }));
  expect(Math.max(...counts.map(Number))).toBeGreaterThan(50);
  const cut = await same((reader, wallet) => reader.transactionCount({ ...wallet, limit: 20 }));
  expect(Math.max(...cut.map(Number))).toBe(20);
});

test('the first funder is who gave the first coin', async () => {
  const found = await same((reader, wallet) => reader.firstFunding(wallet));
  expect(found.filter((each) => each !== null).length).toBeGreaterThan(6);
});

test('an address is first seen where its earliest row is', async () => {
  for (const chain of CHAINS) {
    const request = { chain, wallets: [...WALLETS, 'stranger'], ...limits };
    const [found, expected] = await Promise.all([tables, memory].map((each) => each.firstSeen(request)));
    expect(found).toEqual(expected);
    expect(found?.size).toBe(WALLETS.length);
  }
});

test('flows around many wallets are those of each, in one question', async () => {
  for (const chain of CHAINS) {
    const request = {
      chain,
      wallets: [...WALLETS, 'stranger'],
      canonicalAssets: ['native', 'token'],
      ...limits,
    };
    const [found, expected] = await Promise.all([tables, memory].map((each) => each.flowsAround(request)));
    const inOrder = (of: typeof found) => of?.toSorted((a, b) => (a.wallet < b.wallet ? -1 : 1));
    expect(inOrder(found)).toEqual(inOrder(expected));
    expect(found?.flatMap(({ flows }) => flows).length).toBeGreaterThan(100);
  }
});

test('a wallet with more transfers than are read of one among many is told not to be whole', async () => {
  const steps = Array.from({ length: 20 }, (_, part) => ({
    ...{ time: 1_800_000_000 + part, by: 'x' },
    moves: Array.from({ length: 200 }, () => move('busy', 'x', 1n)),
  }));
  await stage.insert(tellStory('base', [...steps, { time: 1_800_000_100, moves: [move('x', 'calm', 1n)] }]));
  const wallets = ['busy', 'calm'];
  const found = await tables.flowsAround({ chain: 'base', wallets, canonicalAssets: ['native'], ...limits });
  expect(found.map(({ wallet, isComplete }) => [wallet, isComplete]).toSorted()).toEqual([
    ['busy', false],
    ['calm', true],
  ]);
});

test('all that sources say of an address is told, the surest first', async () => {
  const said = [0.4, 0.9].map((confidence) =>
    buildLabel({ chain: 'ethereum', address: 'ann', name: `at ${confidence}`, kind: 'mixer', confidence }),
  );
  const events = said.map((label, sequence) => ({
    sequence,
    event: { type: 'LabelAsserted' as const, label },
  }));
  await insertLabels(stage.warehouse.writer, events);
  const [best, other] = said.toReversed().map(({ address: _, ...label }) => label);
  expect(await tables.labelsSaid({ chain: 'ethereum', wallet: 'ann', ...limits })).toEqual([best, other]);
  expect(await tables.labelsSaid({ chain: 'solana', wallet: 'ann', ...limits })).toEqual([]);
});

type Question = (reader: ProfileReader, wallet: string) => Promise<unknown>;
const solana = { chain: 'solana', ...limits };
const QUESTIONS: readonly (readonly [string, number, Question])[] = [
  ['transactionCount', 1, (reader, wallet) => reader.transactionCount({ ...solana, wallet, limit: 1_001 })],
  ['entries', 2, (reader, wallet) => reader.entries({ ...solana, wallet, limit: 20_000 })],
  ['summary', 2, (reader, wallet) => reader.summary({ ...solana, wallet })],
  [
    'flowsAround',
    2,
    (reader, wallet) =>
      reader.flowsAround({ ...solana, wallets: [wallet, 'stranger'], canonicalAssets: ['native'] }),
  ],
  ['firstSeen', 1, (reader, wallet) => reader.firstSeen({ ...solana, wallets: [wallet, 'stranger'] })],
  ['firstFunding', 1, (reader, wallet) => reader.firstFunding({ ...solana, wallet })],
];

test.each(QUESTIONS)('%s reads a few granules of its tables, found by their keys', async (_, count, ask) => {
  const wallet = await stage.busyWallet();
  const { client, plans } = stage.explaining();
  await ask(createProfileReader(client), wallet);
  const shares = plans.flatMap(granules);
  expect(shares.length).toBeGreaterThanOrEqual(count);
  for (const { read } of shares) expect(read).toBeLessThanOrEqual(6);
  expect(shares.some(({ all }) => all > 300)).toBe(true);
});
