import { describe, expect, test } from 'vitest';
import { ask, path } from '../../testing/ask-follow.ts';
import { move } from '../../testing/chain-story.ts';

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

  test("what came in and went on as somebody else's but for a fee is not where the money came from", async () => {
    const trail = await ask(
      [
        { time: 1_000, moves: [move('alice', 'bob', 1_000n)] },
        { time: 2_000, moves: [move('stranger', 'bob', 900n)] },
        { time: 3_000, moves: [move('bob', 'shop', 890n)] },
        { time: 4_000, moves: [move('bob', 'carol', 990n)] },
      ],
      back,
    );
    expect(path(trail)).toEqual(['carol>bob', 'bob>alice']);
    expect(trail.hops[1]).toMatchObject({ amountRaw: 1_000n, share: 1, others: [] });
  });

  test('what a source holds now is not said: it tells nothing of where the money came from', async () => {
    const issued = { time: 1, moves: [move(null, 'alice', 150n, { kind: 'mint' })] };
    const { end } = await ask([issued, ...story], back);
    expect(end).toMatchObject({ reason: 'at_rest', address: 'alice', holdingRaw: null });
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
