import { describe, expect, test, vi } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../testing/memory-price-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { findChain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import { ReadFailedError, type TransferReader } from '../model/transfer-reader.ts';
import { follow } from './follow.ts';
import { TIME_BUDGET_MS } from './rules.ts';
import type { FollowRequest, Trail } from './trail.ts';

const clock = { nowUnixMs: () => 0 };
const signal = new AbortController().signal;
const prices = createMemoryPriceReader();

type Question = Partial<Omit<FollowRequest, 'chain'>> & { readonly chain?: string };
const toRequest = ({ chain = 'solana', ...rest }: Question): FollowRequest => {
  const found = findChain(chain);
  if (found === null) throw new Error(chain);
  return {
    ...{ start: 'alice', family: 'native', atUnixSeconds: null, amount: null, counterparty: null },
    ...{ backward: false, maxHops: 25 },
    ...rest,
    chain: found,
  };
};

const ask = (
  story: readonly StoryStep[],
  question: Question = {},
  labels: Readonly<Record<string, Label>> = {},
): Promise<Trail> => {
  const request = toRequest(question);
  const blocks = tellStory(request.chain.name, story);
  const reader = createMemoryReader(blocks, { labels: new Map(Object.entries(labels)) });
  return follow(request, { reader, prices, clock, signal });
};

const path = ({ hops }: Trail): string[] => hops.map(({ from, to }) => `${from}>${to}`);

describe('hops', () => {
  test('money that moves on whole is followed to where it rests', async () => {
    // given 100 from alice to bob to carol
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, hash: 'second', moves: [move('bob', 'carol', 90n)] },
    ]);
    // then two hops, and it rests with carol
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.hops[1]).toMatchObject({
      amountRaw: 90n,
      share: 0.9,
      signature: 'second',
      timeUnixSeconds: 20,
    });
    expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'carol', holdingRaw: 90n });
  });

  test('many transfers to one destination are one hop with the largest transaction as its signature', async () => {
    const trail = await ask([
      { time: 10, hash: 'small', moves: [move('alice', 'bob', 40n)] },
      // 30 + 30 of one transaction are more than 50 of another.
      { time: 11, hash: 'twice', moves: [move('alice', 'bob', 30n), move('alice', 'bob', 30n)] },
      { time: 12, hash: 'single', moves: [move('alice', 'bob', 50n)] },
    ]);
    expect(trail.hops).toHaveLength(1);
    expect(trail.hops[0]).toMatchObject({
      amountRaw: 150n,
      share: 1,
      signature: 'twice',
      timeUnixSeconds: 11,
    });
  });

  test('of equally large transactions the first is the signature', async () => {
    const { hops } = await ask([
      { time: 10, hash: 'first', moves: [move('alice', 'bob', 40n)] },
      { time: 11, hash: 'second', moves: [move('alice', 'bob', 40n)] },
    ]);
    expect(hops[0]).toMatchObject({ signature: 'first', timeUnixSeconds: 10 });
  });

  test('what a wallet sent before the money arrived does not count', async () => {
    const trail = await ask([
      { time: 5, moves: [move('bob', 'old friend', 100n)] },
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, moves: [move('bob', 'carol', 100n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
  });

  test('outflows stop counting once they sum to what arrived', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, moves: [move('bob', 'carol', 100n)] },
      { time: 30, moves: [move('bob', 'later', 5_000n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
  });

  test('the outflow that completes what arrived counts whole, and its share is capped at 1', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, moves: [move('bob', 'x', 60n)] },
      { time: 30, moves: [move('bob', 'carol', 1_000n)] },
    ]);
    expect(trail.hops[1]).toMatchObject({ to: 'carol', amountRaw: 1_000n, share: 1 });
  });

  test('money that arrives in pieces carries only what had arrived by then', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 10n)] },
      { time: 11, moves: [move('bob', 'carol', 10n)] },
      // Bob's own money: of alice's, nothing is left at this time.
      { time: 12, moves: [move('bob', 'shop', 500n)] },
      { time: 20, moves: [move('alice', 'bob', 90n)] },
      { time: 21, moves: [move('bob', 'carol', 90n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.hops[1]).toMatchObject({ amountRaw: 100n, share: 1 });
  });

  test('a contract that pays out in the transaction that pays it is looked through, whichever row comes first', async () => {
    for (const moves of [
      [move('alice', 'splitter', 100n), move('splitter', 'bob', 100n)],
      [move('splitter', 'bob', 100n), move('alice', 'splitter', 100n)],
    ]) {
      const trail = await ask([{ time: 10, by: 'alice', moves }]);
      expect(path(trail)).toEqual(['alice>bob']);
      expect(trail.hops[0]).toMatchObject({ through: [{ address: 'splitter', label: null }], share: 1 });
    }
  });

  test('within one second, and within one block, only what came later counts', async () => {
    const trail = await ask([
      { time: 10, moves: [move('bob', 'before', 100n)] },
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 10, moves: [move('bob', 'after', 100n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>after']);
  });

  test('money taken by an allowance or a delegate is followed, though the owner sent no transaction', async () => {
    const trail = await ask([
      { time: 10, by: 'thief', moves: [move('alice', 'thief', 100n, { authority: 'thief' })] },
    ]);
    expect(path(trail)).toEqual(['alice>thief']);
  });

  test('a token account that changes hands is a hop', async () => {
    const trail = await ask([{ time: 10, moves: [move('alice', 'bob', 7n, { kind: 'owner_change' })] }]);
    expect(path(trail)).toEqual(['alice>bob']);
  });

  test.each(['fee', 'rent', 'burn', 'reward', 'wrap', 'unwrap'] as const)(
    'a %s is never a hop',
    async (kind) => {
      const trail = await ask([
        { time: 10, moves: [move('alice', 'validator', 1_000n, { kind }), move('alice', 'bob', 10n)] },
      ]);
      expect(path(trail)).toEqual(['alice>bob']);
    },
  );

  test('what a wallet sends to itself has not left', async () => {
    const trail = await ask([{ time: 10, moves: [move('alice', 'alice', 900n), move('alice', 'bob', 10n)] }]);
    expect(path(trail)).toEqual(['alice>bob']);
  });

  test('`since` counts what left at that second or later', async () => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 500n)] },
      { time: 20, moves: [move('alice', 'carol', 100n)] },
    ];
    expect(path(await ask(story, { atUnixSeconds: 20 }))).toEqual(['alice>carol']);
    expect(path(await ask(story, { atUnixSeconds: 10 }))).toEqual(['alice>bob']);
  });
});

describe('wrapping on an EVM chain', () => {
  const weth = findChain('ethereum')?.wrappedNative ?? '';

  test('is no hop, and coin and wrapped coin are followed as one', async () => {
    const trail = await ask(
      [
        {
          time: 10,
          moves: [move('alice', weth, 100n), move(null, 'alice', 100n, { kind: 'wrap', asset: weth })],
        },
        { time: 20, moves: [move('alice', 'bob', 100n, { asset: weth })] },
        {
          time: 30,
          moves: [move('bob', null, 100n, { kind: 'unwrap', asset: weth }), move(weth, 'bob', 100n)],
        },
        { time: 40, moves: [move('bob', 'carol', 99n)] },
      ],
      { chain: 'ethereum' },
    );
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.end).toMatchObject({ reason: 'at_rest', holdingRaw: 99n });
  });
});

describe('ends', () => {
  test('less than a tenth gone: at rest', async () => {
    const start = { time: 10, moves: [move('alice', 'bob', 1_000n)] };
    const rests = await ask([start, { time: 20, moves: [move('bob', 'carol', 99n)] }]);
    expect(rests.end).toMatchObject({ reason: 'at_rest', address: 'bob', holdingRaw: 901n });
    const moves = await ask([start, { time: 20, moves: [move('bob', 'carol', 100n)] }]);
    expect(path(moves)).toEqual(['alice>bob', 'bob>carol']);
  });

  test('half of what left is a majority; no majority is a split with its branches, largest first', async () => {
    const arrival = { time: 10, moves: [move('alice', 'bob', 100n)] };
    const pay = (time: number, to: string, amountRaw: bigint) => ({
      time,
      moves: [move('bob', to, amountRaw)],
    });
    const half = await ask([arrival, pay(20, 'x', 25n), pay(21, 'y', 50n), pay(22, 'z', 25n)]);
    expect(path(half)).toEqual(['alice>bob', 'bob>y']);
    const split = await ask([arrival, pay(20, 'x', 30n), pay(21, 'y', 40n), pay(22, 'z', 30n)]);
    expect(split.end).toMatchObject({
      reason: 'split',
      address: 'bob',
      branches: [
        { to: 'y', amountRaw: 40n, signature: 'tx-21-0', toLabel: null },
        { to: 'x', amountRaw: 30n },
        { to: 'z', amountRaw: 30n },
      ],
    });
  });

  test('no majority, and less than half of it gone: still at rest', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, moves: [move('bob', 'x', 16n), move('bob', 'y', 16n), move('bob', 'z', 17n)] },
    ]);
    expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'bob' });
  });

  test('a split names at most a hundred branches', async () => {
    const moves = Array.from({ length: 130 }, (_, index) => move('alice', `payee ${index}`, 10n));
    const { end } = await ask([{ time: 10, moves }]);
    expect(end.reason === 'split' && end.branches).toHaveLength(100);
  });

  test('a wallet already on the trail ends it with the hop that leads there', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, moves: [move('bob', 'alice', 100n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>alice']);
    expect(trail.end).toMatchObject({ reason: 'loop', address: 'alice' });
  });

  const chainOfThree = [
    { time: 10, moves: [move('alice', 'bob', 100n)] },
    { time: 20, moves: [move('bob', 'carol', 100n)] },
    { time: 30, moves: [move('carol', 'dave', 100n)] },
  ];

  test('max_hops cuts a trail that goes on, and not one that ends there', async () => {
    const cut = await ask(chainOfThree, { maxHops: 2 });
    expect(cut.end).toMatchObject({ reason: 'max_hops', address: 'carol' });
    expect(cut.hops).toHaveLength(2);
    const whole = await ask(chainOfThree, { maxHops: 3 });
    expect(whole.end).toMatchObject({ reason: 'at_rest', address: 'dave' });
  });

  test.each(['exchange', 'bridge', 'mixer'] as const)('a known %s ends the trail', async (kind) => {
    const label = { name: 'Somebody Known', kind };
    const trail = await ask(chainOfThree, {}, { carol: label });
    expect(trail.hops.at(-1)).toMatchObject({ to: 'carol', toLabel: label });
    expect(trail.end).toMatchObject({ reason: kind, address: 'carol' });
    expect(trail.end.detail).toContain('Somebody Known');
  });

  test.each(['dex', 'contract', 'sanctioned', 'hack', 'other'] as const)(
    'a known %s does not',
    async (kind) => {
      const trail = await ask(chainOfThree, {}, { carol: { name: 'Somebody', kind } });
      expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'dave' });
    },
  );

  test('nothing known of the start wallet: no_data', async () => {
    const { hops, end } = await ask(chainOfThree, { start: 'stranger' });
    expect(hops).toEqual([]);
    expect(end).toMatchObject({ reason: 'no_data', address: 'stranger' });
  });

  test('a start wallet that only received is at rest with what it holds', async () => {
    const { end } = await ask(chainOfThree, { start: 'dave', family: null });
    expect(end).toMatchObject({ reason: 'at_rest', holdingRaw: 100n });
  });

  test('a known start wallet that never had the asset is at rest with nothing known of it', async () => {
    const { end } = await ask(chainOfThree, { family: 'mint' });
    expect(end).toMatchObject({ reason: 'at_rest', holdingRaw: null });
  });

  test('a holding below nothing, where history begins too late, is unknown', async () => {
    const { end } = await ask([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 5, moves: [move('bob', 'x', 5_000n)] },
    ]);
    expect(end).toMatchObject({ reason: 'at_rest', address: 'bob', holdingRaw: null });
  });
});

describe('swaps', () => {
  const swap = (gaveRaw: bigint, gotAsset: string, through: string | null = 'pool') => ({
    owner: 'bob',
    gaveAsset: 'native',
    gaveRaw,
    gotAsset,
    gotRaw: 5n,
    through,
  });
  const arrival = { time: 10, moves: [move('alice', 'bob', 100n)] };

  test('end the trail with what came back, the largest swap and the time of the first', async () => {
    const trail = await ask([
      arrival,
      { time: 20, hash: 'first', moves: [move('bob', 'pool', 30n)], swaps: [swap(30n, 'mint')] },
      { time: 21, hash: 'largest', moves: [move('bob', 'pool', 60n)], swaps: [swap(60n, 'mint')] },
    ]);
    expect(path(trail)).toEqual(['alice>bob']);
    expect(trail.end).toMatchObject({
      reason: 'dex_swap',
      address: 'bob',
      output: { asset: 'mint', symbol: null, decimals: null },
      signature: 'largest',
      timeUnixSeconds: 20,
    });
  });

  test('into several assets still end the trail, with the one that got most', async () => {
    const trail = await ask([
      arrival,
      { time: 20, swaps: [swap(20n, 'a')] },
      { time: 21, hash: 'b1', swaps: [swap(25n, 'b')] },
      { time: 22, swaps: [swap(20n, 'a')] },
      { time: 23, swaps: [swap(30n, 'b')] },
    ]);
    expect(trail.end).toMatchObject({ reason: 'dex_swap', output: { asset: 'b' }, timeUnixSeconds: 21 });
  });

  test('of which one transaction got two assets give the amount once', async () => {
    const trail = await ask([
      arrival,
      { time: 20, swaps: [swap(40n, 'a'), swap(40n, 'b')] },
      { time: 21, moves: [move('bob', 'carol', 60n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
  });

  test('of which one transaction got two assets count for both of them', async () => {
    const { end } = await ask([
      arrival,
      { time: 20, hash: 'both', swaps: [swap(60n, 'a'), swap(60n, 'b')] },
      { time: 21, swaps: [swap(40n, 'b')] },
    ]);
    expect(end).toMatchObject({ reason: 'dex_swap', output: { asset: 'b' }, signature: 'both' });
  });

  test('that carried less than the largest transfer are a branch through their pool', async () => {
    const { end } = await ask([
      arrival,
      { time: 20, hash: 's', swaps: [swap(30n, 'mint')] },
      { time: 21, moves: [move('bob', 'x', 40n), move('bob', 'y', 30n)] },
    ]);
    expect(end).toMatchObject({
      reason: 'split',
      branches: [{ to: 'x' }, { to: 'pool', signature: 's', amountRaw: 30n }, { to: 'y' }],
    });
  });

  test('into the wrapped coin are not swaps', async () => {
    const wrapped = findChain('solana')?.wrappedNative ?? '';
    const trail = await ask([
      arrival,
      { time: 20, moves: [move('bob', 'carol', 100n)], swaps: [swap(100n, wrapped)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
  });

  test('can be followed on from their own answer', async () => {
    const story = [
      arrival,
      {
        time: 20,
        moves: [move('bob', 'pool', 100n), move('pool', 'bob', 5n, { asset: 'mint' })],
        swaps: [swap(100n, 'mint')],
      },
      { time: 20, moves: [move('bob', 'carol', 5n, { asset: 'mint' })] },
    ];
    const { end } = await ask(story);
    if (end.reason !== 'dex_swap') throw new Error(end.reason);
    const onward = await ask(story, {
      start: end.address,
      family: end.output.asset,
      atUnixSeconds: end.timeUnixSeconds,
    });
    expect(path(onward)).toEqual(['bob>carol']);
  });
});

describe('poison', () => {
  const fake = '0x00000000000000000000000000000000000000fa';

  test('amounts of nothing lead nowhere', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'imitation', 0n), move('alice', 'bob', 1n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob']);
  });

  test('dust to an address that looks like a paid one is dropped; a real sum to it is the theft', async () => {
    const paid = '0xabc0000000000000000000000000000000000def';
    const imitation = '0xabc1111111111111111111111111111111111def';
    const question = { chain: 'ethereum', atUnixSeconds: 0 } as const;
    const dust = await ask(
      [
        { time: 10, moves: [move('alice', imitation, 1n), move('alice', paid, 100n)] },
        { time: 11, moves: [move('alice', 'other', 100n)] },
      ],
      question,
    );
    expect(path(dust)).toEqual([`alice>${paid}`]);
    const fooled = await ask(
      [{ time: 10, moves: [move('alice', imitation, 900n), move('alice', paid, 100n)] }],
      question,
    );
    expect(path(fooled)).toEqual([`alice>${imitation}`]);
  });

  test('a log of an unlisted token counts only in a transaction that the wallet sent', async () => {
    const story = [
      { time: 10, by: 'spammer', moves: [move('alice', 'imitation', 1_000n, { asset: fake })] },
      { time: 20, by: 'alice', moves: [move('alice', 'bob', 10n, { asset: fake })] },
    ];
    expect(path(await ask(story, { chain: 'ethereum', family: fake }))).toEqual(['alice>bob']);
  });

  test('what an allowance drains and what a smart account pays is followed, whoever sent the transaction', async () => {
    const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
    const drained = move('alice', 'account', 10n, { asset: usdc, authority: 'thief' });
    const story = [
      { time: 10, by: 'thief', moves: [drained] },
      { time: 20, by: 'bundler', moves: [move('account', 'carol', 10n, { asset: usdc })] },
    ];
    const trail = await ask(story, { chain: 'ethereum', family: usdc });
    expect(path(trail)).toEqual(['alice>account', 'account>carol']);
  });

  test('a false receipt of an unlisted token never makes its payment somebody else’s', async () => {
    const story = [
      { time: 10, by: 'alice', moves: [move('alice', 'bob', 90n, { asset: fake })] },
      { time: 11, by: 'spammer', moves: [move('stranger', 'bob', 50n, { asset: fake })] },
      { time: 20, by: 'bob', moves: [move('bob', 'carol', 50n, { asset: fake })] },
    ];
    expect(path(await ask(story, { chain: 'ethereum', family: fake }))).toEqual(['alice>bob', 'bob>carol']);
  });

  test('on Solana it counts whoever paid the fee: token programs record no false transfers', async () => {
    const story = [{ time: 10, by: 'sponsor', moves: [move('alice', 'bob', 10n, { asset: 'mint' })] }];
    expect(path(await ask(story, { family: 'mint' }))).toEqual(['alice>bob']);
  });
});

describe('the asset, when none is named', () => {
  const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const usdt = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
  const familyOf = async (story: readonly StoryStep[], question: Question = {}) =>
    (await ask(story, { family: null, ...question })).asset.family;

  test('is the coin or a stablecoin before any other token that left earlier', async () => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 9n, { asset: 'mint' })] },
      { time: 20, moves: [move('alice', 'bob', 9n)] },
    ];
    expect(await familyOf(story)).toBe('native');
  });

  test('among stablecoins is the one of which more dollars left', async () => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 9_000_000n, { asset: usdc })] },
      { time: 20, moves: [move('alice', 'bob', 10_000_000n, { asset: usdt })] },
    ];
    expect(await familyOf(story)).toBe(usdt);
  });

  test('beside the coin, whose dollar value is unknown, is what left first', async () => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 9n, { asset: usdc })] },
      { time: 20, moves: [move('alice', 'bob', 10_000_000_000n)] },
    ];
    expect(await familyOf(story)).toBe(usdc);
    expect(await familyOf(story, { atUnixSeconds: 11 })).toBe('native');
  });

  test('beside the coin, whose price is known, is the one of which more dollars left', async () => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 9_000_000n, { asset: usdc })] },
      { time: 20, moves: [move('alice', 'bob', 1_000_000_000n)] },
    ];
    const at = { beginUnixSeconds: 0, atUnixSeconds: 0, span: 'hour', source: 'market' } as const;
    for (const [usd, family] of [
      [8, usdc],
      [10, 'native'],
    ] as const) {
      const priced = createMemoryPriceReader([{ chain: 'solana', family: 'native', usd, ...at }]);
      const reader = createMemoryReader(tellStory('solana', story));
      const { asset } = await follow(toRequest({ family: null }), { reader, prices: priced, clock, signal });
      expect(asset.family).toBe(family);
    }
  });

  test('is read backward from what arrived last', async () => {
    const story = [
      { time: 10, moves: [move('bob', 'alice', 9n)] },
      { time: 20, moves: [move('bob', 'alice', 9_000_000n, { asset: usdc })] },
    ];
    expect(await familyOf(story, { backward: true })).toBe(usdc);
    expect(await familyOf(story, { backward: true, atUnixSeconds: 19 })).toBe('native');
  });

  test('is never an unlisted token that somebody else made a log of', async () => {
    const fake = '0x00000000000000000000000000000000000000fa';
    const real = '0x00000000000000000000000000000000000000aa';
    const story = [
      { time: 10, by: 'spammer', moves: [move('alice', 'imitation', 9n, { asset: fake })] },
      { time: 20, by: 'alice', moves: [move('alice', 'bob', 9n, { asset: real })] },
    ];
    expect(await familyOf(story, { chain: 'ethereum' })).toBe(real);
  });
});

describe('whose money leaves a wallet that others use too', () => {
  const arrival = { time: 10, moves: [move('alice', 'bob', 100n)] };
  const brought = (time: number, amountRaw: bigint) => ({
    time,
    moves: [move('stranger', 'bob', amountRaw)],
  });
  const paid = (time: number, to: string, amountRaw: bigint) => ({
    time,
    moves: [move('bob', to, amountRaw)],
  });

  test('what passes on just what somebody else brought is theirs, a fee of two per cent kept', async () => {
    const story = [
      arrival,
      brought(11, 1_000n),
      paid(12, 'theirs', 980n),
      paid(20, 'x', 60n),
      paid(21, 'y', 40n),
    ];
    expect(path(await ask(story))).toEqual(['alice>bob', 'bob>x']);
    const unlike = [
      arrival,
      brought(11, 500n),
      paid(12, 'theirs', 979n),
      paid(20, 'x', 60n),
      paid(21, 'y', 40n),
    ];
    expect(path(await ask(unlike))).toEqual(['alice>bob', 'bob>theirs']);
  });

  test('of two receipts that fit, the later one is passed on', async () => {
    const story = [
      brought(5, 100n),
      arrival,
      paid(20, 'x', 30n),
      paid(21, 'ours', 100n),
      paid(22, 'theirs', 100n),
    ];
    expect(path(await ask(story))).toEqual(['alice>bob', 'bob>ours']);
  });

  test('what is more than was left is not it where others had brought enough for it', async () => {
    const story = [
      arrival,
      brought(11, 5_000n),
      paid(12, 'theirs', 3_000n),
      paid(20, 'x', 60n),
      paid(21, 'y', 30n),
    ];
    expect(path(await ask(story))).toEqual(['alice>bob', 'bob>x']);
  });

  test('what is more than was left is not it where a later payment clearly is', async () => {
    const story = [arrival, paid(12, 'own money', 3_000n), paid(20, 'ours', 99n)];
    expect(path(await ask(story))).toEqual(['alice>bob', 'bob>ours']);
  });

  test('change that stayed behind is never the reason to follow a later and larger payment', async () => {
    const story = [arrival, paid(12, 'ours', 95n), paid(20, 'own money', 3_000n)];
    expect(path(await ask(story))).toEqual(['alice>bob', 'bob>ours']);
  });

  test('a contract that keeps a fee is looked through, however busy it is, and as often as it comes', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'router', 100n), move('router', 'bob', 99n)] },
      { time: 11, by: 'other', moves: [move('other', 'router', 900n), move('router', 'elsewhere', 890n)] },
      { time: 20, moves: [move('bob', 'router', 99n), move('router', 'carol', 98n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'carol' });
  });

  test('what is paid through a contract and without it to one wallet is one hop', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, hash: 'largest', moves: [move('bob', 'router', 60n), move('router', 'carol', 60n)] },
      { time: 21, moves: [move('bob', 'carol', 20n)] },
      { time: 22, moves: [move('bob', 'carol', 20n)] },
      { time: 30, moves: [move('carol', 'dave', 100n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol', 'carol>dave']);
    expect(trail.hops[1]).toMatchObject({ amountRaw: 100n, share: 1, signature: 'largest', others: [] });
    expect(trail.hops[2]).toMatchObject({ amountRaw: 100n, share: 1 });
  });

  test('money that contracts hand round within one transaction ends in a loop', async () => {
    const round = [move('alice', 'x', 9n), move('x', 'y', 9n), move('y', 'x', 9n)];
    expect((await ask([{ time: 10, moves: round }])).end).toMatchObject({ reason: 'loop', address: 'x' });
  });

  test('a splitter that pays out to many is where the trail splits', async () => {
    const out = ['x', 'y', 'z'].map((to) => move('splitter', to, 33n));
    const trail = await ask([{ time: 10, moves: [move('alice', 'splitter', 100n), ...out] }]);
    expect(path(trail)).toEqual(['alice>splitter']);
    expect(trail.end).toMatchObject({ reason: 'split', address: 'splitter' });
  });
});

describe('a trail that is asked for in parts', () => {
  const story = [
    { time: 10, moves: [move('alice', 'bob', 100n)] },
    { time: 11, moves: [move('stranger', 'bob', 900n)] },
    { time: 12, moves: [move('bob', 'carol', 55n), move('bob', 'dora', 45n)] },
    { time: 20, moves: [move('bob', 'elsewhere', 900n)] },
    { time: 30, moves: [move('dora', 'eve', 45n)] },
    { time: 40, moves: [move('dora', 'later', 800n)] },
  ];

  test('names beside each hop what else left', async () => {
    const trail = await ask(story);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.hops[1]?.others).toMatchObject([
      { from: 'bob', to: 'dora', amountRaw: 45n, sinceUnixSeconds: 12, signature: 'tx-12-0' },
    ]);
  });

  test('names the hundred largest of what left beside a long trail, and at most twenty beside a hop', async () => {
    const wallets = Array.from({ length: 11 }, (_, at) => (at === 0 ? 'alice' : `wallet ${at}`));
    const steps = wallets.slice(1).map((to, at) => {
      const from = wallets[at] ?? '';
      const beside = Array.from({ length: 30 }, (_, rank) => move(from, `${from} ${rank}`, 1n));
      return { time: 10 + at, moves: [move(from, to, 10_000n - 100n * BigInt(at)), ...beside] };
    });
    const { hops } = await ask(steps);
    expect(hops).toHaveLength(10);
    expect(hops[0]?.others).toHaveLength(20);
    expect(hops.flatMap(({ others }) => others)).toHaveLength(100);
  });

  test('goes on with what one wallet paid another, and no more than that', async () => {
    const amount = 45e-9;
    const part = await ask(story, { start: 'dora', counterparty: 'bob', amount, atUnixSeconds: 12 });
    expect(path(part)).toEqual(['dora>eve']);
    const whole = await ask(story, { start: 'bob', counterparty: 'alice' });
    expect(path(whole)).toEqual(['bob>carol']);
    const missing = await ask(story, { start: 'dora', counterparty: 'alice' });
    expect(missing.end).toMatchObject({ reason: 'no_data', detail: expect.stringContaining('alice') });
  });

  test('follows as much as is named', async () => {
    const trail = await ask(story, { start: 'bob', amount: 1e-7, atUnixSeconds: 10 });
    expect(path(trail)).toEqual(['bob>carol']);
    expect(trail.hops[0]?.share).toBe(0.55);
  });
});

describe('behind a bridge', () => {
  const [usdc, onBase] = [
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  ];
  const near = tellStory('ethereum', [
    { time: 10, moves: [move('0xann', '0xbea', 5_000_000n, { asset: usdc })] },
    { time: 20, moves: [move('0xbea', '0xgate', 5_000_000n, { asset: usdc })] },
  ]);
  const labels = new Map<string, Label>([
    ['0xgate', { name: 'Gate', kind: 'bridge' }],
    ['0xpayer', { name: 'Gate on Base', kind: 'bridge' }],
  ]);
  const outputOf = async (far: readonly StoryStep[]) => {
    const reader = createMemoryReader([...near, ...tellStory('base', far)], { labels });
    const request = toRequest({ chain: 'ethereum', start: '0xann', family: usdc });
    const { end } = await follow(request, { reader, prices, clock, signal });
    if (end.reason !== 'bridge') throw new Error(end.reason);
    return end.output;
  };
  const paid = (payer: string | null, amountRaw: bigint, time = 900, asset = onBase) => {
    const kind = payer === null ? 'mint' : 'transfer';
    return { time, hash: `far-${time}`, moves: [move(payer, '0xbea', amountRaw, { asset, kind })] };
  };

  test.each([
    ['issued', null],
    ['paid by a known bridge', '0xpayer'],
  ])('what is %s to the same address on another chain is the far side', async (_, payer) => {
    expect(await outputOf([paid(payer, 4_999_000n), paid('0xstranger', 5_000_000n, 800)])).toMatchObject({
      chain: { name: 'base' },
      asset: { asset: onBase, symbol: 'USDC', decimals: 6 },
      ...{ address: '0xbea', amountRaw: 4_999_000n, signature: 'far-900', timeUnixSeconds: 900 },
      ...{ by: 'beneficiary', confidence: 0.99 },
    });
  });

  test.each([
    ['comes from nobody known', paid('0xstranger', 5_000_000n)],
    ['is another amount', paid(null, 4_000_000n)],
    ['is more than went in', paid(null, 5_000_001n)],
    ['came before', paid(null, 5_000_000n, 19)],
    ['came days later', paid(null, 5_000_000n, 200_000)],
    ['is another asset', paid(null, 5_000_000n, 900, 'native')],
  ])('what %s is not', async (_, step) => {
    expect(await outputOf([step])).toBeNull();
  });

  test('of several that fit the nearest is named, with less confidence', async () => {
    const output = await outputOf([paid(null, 4_990_000n, 800), paid(null, 5_000_000n, 900)]);
    expect(output).toMatchObject({ amountRaw: 5_000_000n, confidence: 0.9 });
  });

  test('what cannot be read leaves the end at the bridge as it is', async () => {
    const reader = {
      ...createMemoryReader(near, { labels }),
      farArrivals: () => Promise.reject(new ReadFailedError('unavailable')),
    };
    const request = toRequest({ chain: 'ethereum', start: '0xann', family: usdc });
    const { end } = await follow(request, { reader, prices, clock, signal });
    expect(end).toMatchObject({ reason: 'bridge', address: '0xgate', output: null });
  });
});

describe('backward', () => {
  const back = { start: 'carol', backward: true } as const;
  const story = [
    { time: 5, moves: [move('old friend', 'bob', 40n)] },
    { time: 10, hash: 'first', moves: [move('alice', 'bob', 100n)] },
    { time: 20, hash: 'second', moves: [move('bob', 'carol', 99n)] },
    { time: 30, moves: [move('later', 'bob', 500n)] },
  ];

  test('money is followed to whom it came from, by what had arrived before it left', async () => {
    const trail = await ask(story, back);
    expect(path(trail)).toEqual(['carol>bob', 'bob>alice']);
    expect(trail.hops[1]).toMatchObject({ amountRaw: 100n, signature: 'first', share: 1 });
    expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'alice', holdingRaw: null });
  });

  test('it ends at a known service, at a swap with what was given, and where it came from many', async () => {
    const label = { name: 'Somebody Known', kind: 'exchange' } as const;
    expect((await ask(story, back, { bob: label })).end).toMatchObject({
      reason: 'exchange',
      address: 'bob',
    });
    const swap = {
      owner: 'bob',
      gaveAsset: 'mint',
      gaveRaw: 7n,
      gotAsset: 'native',
      gotRaw: 99n,
      through: 'pool',
    };
    const swapped = [
      { time: 10, hash: 's', moves: [move('pool', 'bob', 99n)], swaps: [swap] },
      ...story.slice(2),
    ];
    expect((await ask(swapped, back)).end).toMatchObject({
      ...{
        reason: 'dex_swap',
        address: 'bob',
        output: { asset: 'mint' },
        signature: 's',
        timeUnixSeconds: 10,
      },
    });
    const many = ['x', 'y', 'z'].map((from) => ({ time: 10, moves: [move(from, 'bob', 33n)] }));
    expect((await ask([...many, ...story.slice(2)], back)).end).toMatchObject({
      ...{ reason: 'split', address: 'bob' },
      branches: [{ from: 'bob', amountRaw: 33n }, {}, {}],
    });
  });

  test('nothing that arrived after the time asked about counts', async () => {
    const { hops } = await ask(story, { start: 'bob', backward: true, atUnixSeconds: 9 });
    expect(hops).toMatchObject([{ to: 'old friend' }]);
  });
});

describe('what a trail was worth', () => {
  test('is told by the price at the time of each hop, and by nothing where none is known', async () => {
    const quote = { chain: 'solana', family: 'native', source: 'market', span: 'hour', usd: 50 } as const;
    const at = { beginUnixSeconds: 0, atUnixSeconds: 1_800 };
    const day = 86_400;
    const blocks = tellStory('solana', [
      { time: 10, moves: [move('alice', 'bob', 2_000_000_000n)] },
      { time: day, moves: [move('bob', 'carol', 2_000_000_000n)] },
    ]);
    const priced = createMemoryPriceReader([{ ...quote, ...at }]);
    const dependencies = { reader: createMemoryReader(blocks), prices: priced, clock, signal };
    const { hops } = await follow(toRequest({}), dependencies);
    expect(hops.map(({ usd }) => usd)).toEqual([100, null]);
  });

  test('is left out where prices cannot be read: the trail stands without', async () => {
    const blocks = tellStory('solana', [{ time: 10, moves: [move('alice', 'bob', 2n)] }]);
    const broken = { prices: () => Promise.reject(new ReadFailedError('unavailable')) };
    const dependencies = { reader: createMemoryReader(blocks), prices: broken, clock, signal };
    expect((await follow(toRequest({}), dependencies)).hops).toMatchObject([{ usd: null }]);
  });
});

describe('the time budget', () => {
  const steps = Array.from({ length: 12 }, (_, at) => ({
    time: 10 + at,
    moves: [move(at === 0 ? 'alice' : `wallet ${at}`, `wallet ${at + 1}`, 100n)],
  }));
  const reader = createMemoryReader(tellStory('solana', steps));
  const slow =
    <In, Out>(seconds: number, read: (request: In) => Promise<Out>) =>
    async (request: In): Promise<Out> => {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      return read(request);
    };
  /** On a clock that stands still but for the timers that are waited for; gives how long it took by that clock. */
  const time = async (slowReader: Partial<TransferReader>) => {
    vi.useFakeTimers({ now: 0 });
    try {
      const dependencies = { reader: { ...reader, ...slowReader }, prices, clock: virtual, signal };
      const asking = follow(toRequest({}), dependencies).catch((error: unknown) => error);
      let answered = false;
      void asking.then(() => {
        answered = true;
      });
      while (!answered) await vi.advanceTimersByTimeAsync(100);
      return { answer: await asking, tookMs: Date.now() };
    } finally {
      vi.useRealTimers();
    }
  };
  const virtual = { nowUnixMs: () => Date.now() };

  test('cuts a trail with max_hops that says so, in time to name what was found', async () => {
    const { answer, tookMs } = await time({ departures: slow(19, reader.departures) });
    expect(answer).toMatchObject({ end: { reason: 'max_hops', detail: expect.stringContaining('time') } });
    expect((answer as Trail).hops).toHaveLength(4);
    expect(tookMs).toBeLessThanOrEqual(TIME_BUDGET_MS);
  });

  test('holds where a reader does not keep to the time it was given', async () => {
    const deaf = await time({ transactionHashes: slow(10_000, reader.transactionHashes) });
    expect(deaf.answer).toMatchObject({ code: 'timeout' });
    expect(deaf.tookMs).toBeLessThanOrEqual(TIME_BUDGET_MS);
    const stuck = await time({
      departures: (request) =>
        request.wallet === 'wallet 3' ? slow(10_000, reader.departures)(request) : reader.departures(request),
    });
    expect(stuck.answer).toMatchObject({ end: { reason: 'no_data', address: 'wallet 3' } });
    expect(stuck.tookMs).toBeLessThanOrEqual(TIME_BUDGET_MS);
  });

  test('is not spent on labels: the next wallet is read while they are looked up', async () => {
    const both = { departures: slow(1, reader.departures), labels: slow(1, reader.labels) };
    const { answer, tookMs } = await time(both);
    expect((answer as Trail).hops).toHaveLength(12);
    expect(tookMs).toBeLessThan(15_000);
  });
});

describe('limits and failures', () => {
  const story = [
    { time: 10, moves: [move('alice', 'bob', 100n)] },
    { time: 20, moves: [move('bob', 'carol', 100n)] },
    { time: 30, moves: [move('carol', 'dave', 100n)] },
  ];
  const reader = createMemoryReader(tellStory('solana', story));
  const failing = (wallet: string, error: Error): TransferReader => ({
    ...reader,
    departures: (request) => (request.wallet === wallet ? Promise.reject(error) : reader.departures(request)),
  });
  const unavailable = new ReadFailedError('unavailable');

  test('a later wallet that cannot be read ends the trail with no_data, and the hops so far stand', async () => {
    const trail = await follow(toRequest({}), { reader: failing('bob', unavailable), prices, clock, signal });
    expect(path(trail)).toEqual(['alice>bob']);
    expect(trail.end).toMatchObject({ reason: 'no_data', address: 'bob' });
  });

  test('a first wallet that cannot be read is an error, not an answer', async () => {
    const asking = follow(toRequest({}), { reader: failing('alice', unavailable), prices, clock, signal });
    await expect(asking).rejects.toBe(unavailable);
  });

  test('a mistake in the code is never dressed up as missing data', async () => {
    const asking = follow(toRequest({}), {
      reader: failing('bob', new TypeError('bug')),
      prices,
      clock,
      signal,
    });
    await expect(asking).rejects.toThrow(TypeError);
  });

  test('a budget spent on the first wallet is a timeout', async () => {
    let nowMs = 0;
    const stuck = {
      ...reader,
      departures: async () => {
        nowMs = TIME_BUDGET_MS;
        return { rows: [], next: { blockTime: 0, blockNumber: 0, txIndex: 0, step: 0 } };
      },
    };
    const asking = follow(toRequest({}), {
      reader: stuck,
      prices,
      clock: { nowUnixMs: () => nowMs },
      signal,
    });
    await expect(asking).rejects.toMatchObject({ code: 'timeout' });
  });

  test('an aborted request stops reading', async () => {
    const controller = new AbortController();
    let reads = 0;
    const counted = {
      ...reader,
      departures: (request: Parameters<TransferReader['departures']>[0]) => {
        reads += 1;
        controller.abort();
        return reader.departures(request);
      },
    };
    const asking = follow(toRequest({}), { reader: counted, prices, clock, signal: controller.signal });
    await expect(asking).rejects.toMatchObject({ code: 'aborted' });
    expect(reads).toBe(1);
  });

  test('a wallet too busy to read whole is read in part, and the detail says so', async () => {
    const busy = Array.from({ length: 40 }, (_, index) => ({
      time: 10 + index,
      moves: [move('alice', `payee ${index % 7}`, 10n)],
    }));
    const pages = { firstRows: 5, nextRows: 5, maxRows: 20 };
    const trail = await follow(
      toRequest({}),
      { reader: createMemoryReader(tellStory('solana', busy)), prices, clock, signal },
      { budgetMs: TIME_BUDGET_MS, pages },
    );
    expect(trail.end.reason).toBe('split');
    expect(trail.end.detail).toContain('only the first 20');
  });
});
