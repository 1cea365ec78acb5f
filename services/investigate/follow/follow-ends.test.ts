import { describe, expect, test } from 'vitest';
import { ask as askChain, path, type Question } from '../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import type { Label } from '../model/label.ts';
import type { TrailEnd } from './trail.ts';

type Reason = TrailEnd['reason'];

/** `first` and `second` are dollars of two issuers. */
const FAMILIES = [
  {
    chain: 'solana',
    first: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    second: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  },
  {
    chain: 'ethereum',
    first: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    second: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  },
];
const paid: StoryStep = { time: 10, moves: [move('alice', 'bob', 100n)] };
const on = (to: string, amountRaw = 100n, time = 20): StoryStep => ({
  time,
  moves: [move('bob', to, amountRaw)],
});

/** What `owner` swaps with a pool, all of it in one transaction of its own. */
const swap = (time: number, owner: string, [gaveAsset, gotAsset]: readonly [string, string]): StoryStep => ({
  time,
  hash: `${owner} swaps`,
  moves: [move(owner, 'pool', 100n, { asset: gaveAsset }), move('pool', owner, 100n, { asset: gotAsset })],
  swaps: [{ owner, gaveAsset, gaveRaw: 100n, gotAsset, gotRaw: 100n, through: 'pool' }],
});

describe.each(FAMILIES)('on $chain a trail ends', ({ chain, first, second }) => {
  const ask = (
    story: readonly StoryStep[],
    question: Question = {},
    labels: Readonly<Record<string, Label>> = {},
  ) => askChain(story, { chain, ...question }, labels);

  const ends: Readonly<Record<Reason, readonly [StoryStep[], string, Question?]>> = {
    exchange: [[on('exchange')], 'exchange'],
    bridge: [[on('bridge')], 'bridge'],
    mixer: [[on('mixer')], 'mixer'],
    dex_swap: [[swap(20, 'bob', ['native', first])], 'bob'],
    split: [[on('x', 40n), on('y', 30n, 21), on('z', 30n, 22)], 'bob'],
    at_rest: [[on('carol')], 'carol'],
    loop: [[on('alice')], 'alice'],
    max_hops: [[on('carol')], 'bob', { maxHops: 1 }],
    no_data: [[], 'carol', { start: 'carol' }],
  };
  const labels = Object.fromEntries(
    (['exchange', 'bridge', 'mixer'] as const).map((kind) => [kind, { name: 'Somebody Known', kind }]),
  );

  test.each(Object.entries(ends))('with %s', async (reason, [story, address, question]) => {
    const { end } = await ask([paid, ...story], question, labels);
    expect(end).toMatchObject({ reason, address });
    expect(end.detail).not.toBe('');
  });

  test('with each of two swaps, from the first to the second by what the answer says alone', async () => {
    const story = [
      paid,
      swap(20, 'bob', ['native', first]),
      { time: 20, moves: [move('bob', 'carol', 100n, { asset: first })] },
      swap(30, 'carol', [first, second]),
      { time: 30, moves: [move('carol', 'dave', 100n, { asset: second })] },
      // Of the pool's other customers.
      { time: 40, moves: [move('pool', 'erin', 100n), move('pool', 'fay', 100n, { asset: first })] },
    ];
    const paths: string[][] = [];
    let question: Question = {};
    for (const output of [first, second]) {
      const trail = await ask(story, question);
      const { end } = trail;
      paths.push(path(trail));
      if (end.reason !== 'dex_swap' || end.output === null) throw new Error(end.reason);
      expect(end.output.asset).toBe(output);
      question = { start: end.address, canonicalAsset: end.output.asset, atUnixSeconds: end.timeUnixSeconds };
    }
    const last = await ask(story, question);
    expect([...paths, path(last)]).toEqual([['alice>bob'], ['bob>carol'], ['carol>dave']]);
    expect(last.end).toMatchObject({ reason: 'at_rest', address: 'dave', holdingRaw: 100n });
  });
});
