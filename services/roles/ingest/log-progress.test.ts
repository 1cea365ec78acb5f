import { expect, test } from 'vitest';
import { inWords, watchProgress } from './log-progress.ts';

const setUp = () => {
  const chain = { chain: 'solana', head: 1_000, indexed: 0, blocks: 0, transfers: 0 };
  let nowUnixMs = 0;
  const look = watchProgress([chain], { nowUnixMs: () => nowUnixMs });
  return {
    chain,
    after: (seconds: number, change: Partial<typeof chain>) => {
      nowUnixMs += seconds * 1_000;
      Object.assign(chain, change);
      return look().map(inWords);
    },
  };
};

test('while a chain is read in, blocks, transfers, their rates and the way to the head are told', () => {
  const { after } = setUp();
  expect(after(5, { indexed: 500, blocks: 500, transfers: 12_345 })).toEqual([
    'solana: 500 blocks, 12,345 transfers, 100 blocks/s, 2,469 transfers/s, 500 blocks behind the head',
  ]);
  expect(after(5, { indexed: 1_000, blocks: 1_000, transfers: 12_345 })).toEqual([
    'solana: 1,000 blocks, 12,345 transfers, 100 blocks/s, 0 transfers/s, at the head',
  ]);
});

test('a chain of which nothing came in is not told', () => {
  const { after } = setUp();
  expect(after(5, {})).toEqual([]);
  expect(after(600, { head: 2_000 })).toEqual([]);
});

test('at the head, where blocks come one by one, it is told once a minute', () => {
  const { after } = setUp();
  after(5, { indexed: 1_000, blocks: 1_000 });
  const lines = Array.from({ length: 24 }, (_, i) =>
    after(5, { head: 1_001 + i, indexed: 1_001 + i, blocks: 1_001 + i }),
  );
  expect(lines.flat()).toHaveLength(2);
  expect(lines.flat().at(-1)).toContain('at the head');
});
