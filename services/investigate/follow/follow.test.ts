import { describe, expect, test } from 'vitest';
import { ask, path } from '../../testing/ask-follow.ts';
import { move } from '../../testing/chain-story.ts';
import { findChain } from '../model/chain.ts';

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

  test('of what a contract pays out at once, what others put in beside is not said to be the followed money', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      {
        ...{ time: 20, by: 'relayer' },
        moves: [
          move('bob', 'batcher', 100n),
          move('carol', 'batcher', 4_900n),
          move('batcher', 'vault', 5_000n),
        ],
      },
      { time: 30, moves: [move('vault', 'ours', 100n)] },
      { time: 40, moves: [move('vault', 'theirs', 4_900n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>vault', 'vault>ours']);
    expect(trail.hops[1]).toMatchObject({ amountRaw: 100n, share: 1 });
  });

  test('of what a contract pays out at once, as much to each of many, nobody is said to have got the followed money', async () => {
    const each = ['abe', 'bea', 'cyd', 'dot'];
    const story = [
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      {
        ...{ time: 20, by: 'relayer' },
        moves: ['bob', 'eve', 'fay', 'gus'].flatMap((payer, at) => [
          move(payer, 'processor', 100n),
          move('processor', each[at] ?? '', 99n),
        ]),
      },
    ];
    const { hops, end } = await ask(story);
    expect(hops.map(({ to }) => to)).toEqual(['bob', 'processor']);
    if (end.reason !== 'split') throw new Error(end.reason);
    // Of 99, which are told of four.
    expect(end.branches).toMatchObject(each.map((to, at) => ({ to, amountRaw: at < 3 ? 25n : 24n })));
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

  test('what little left a wallet where the money rests is named, largest first and with whom it reached', async () => {
    const label = { name: 'Somebody Known', kind: 'exchange' } as const;
    const { end } = await ask(
      [
        { time: 10, moves: [move('alice', 'bob', 1_000n)] },
        { time: 20, hash: 'first', moves: [move('bob', 'carol', 20n)] },
        { time: 30, hash: 'second', moves: [move('bob', 'dave', 60n)] },
      ],
      {},
      { dave: label },
    );
    expect(end.detail).toContain('the rest is still there');
    expect(end.reason === 'at_rest' && end.others).toMatchObject([
      { from: 'bob', to: 'dave', amountRaw: 60n, signature: 'second', sinceUnixSeconds: 30, toLabel: label },
      { from: 'bob', to: 'carol', amountRaw: 20n, signature: 'first', sinceUnixSeconds: 20, toLabel: null },
    ]);
  });

  test('of a resting wallet that paid many at most twenty are named', async () => {
    const moves = Array.from({ length: 25 }, (_, index) => move('bob', `payee ${index}`, 1n));
    const { end } = await ask([
      { time: 10, moves: [move('alice', 'bob', 1_000n)] },
      { time: 20, moves },
    ]);
    expect(end.reason === 'at_rest' && end.others).toHaveLength(20);
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

  test.each(['sanctioned', 'hack'] as const)('an exchange that is %s too ends it as well', async (kind) => {
    const label = { name: 'Somebody Known', kind, passing: 'exchange' as const };
    const trail = await ask(chainOfThree, {}, { carol: label });
    expect(trail.hops.at(-1)).toMatchObject({ to: 'carol', toLabel: label });
    expect(trail.end).toMatchObject({ reason: 'exchange', address: 'carol' });
    expect(trail.end.detail).toContain(kind === 'hack' ? 'an exchange' : 'a sanctioned exchange');
  });

  test.each(['contract', 'sanctioned', 'hack', 'other'] as const)('a known %s does not', async (kind) => {
    const trail = await ask(chainOfThree, {}, { carol: { name: 'Somebody', kind } });
    expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'dave' });
  });

  test('nothing known of the start wallet: no_data', async () => {
    const { hops, end } = await ask(chainOfThree, { start: 'stranger' });
    expect(hops).toEqual([]);
    expect(end).toMatchObject({ reason: 'no_data', address: 'stranger' });
  });

  test('a start wallet that only received is at rest with what it holds', async () => {
    const { end } = await ask(chainOfThree, { start: 'dave', canonicalAsset: null });
    expect(end).toMatchObject({ reason: 'at_rest', holdingRaw: 100n });
  });

  test('a known start wallet that never had the asset is at rest with nothing known of it', async () => {
    const { end } = await ask(chainOfThree, { canonicalAsset: 'mint' });
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
