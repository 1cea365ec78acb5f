import { describe, expect, test } from 'vitest';
import { ask, path } from '../../../testing/ask-follow.ts';
import { move } from '../../../testing/chain-story.ts';

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

  test('what passes on just what somebody else brought with the same transaction is theirs, forward and backward', async () => {
    const together = { time: 10, moves: [move('alice', 'bob', 10n), move('eve', 'bob', 90n)] };
    const trail = await ask([together, paid(20, 'theirs', 90n), paid(30, 'ours', 9n)]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>ours']);
    const sources = [
      { time: 3, moves: [move('ours', 'bob', 12n)] },
      { time: 5, moves: [move('theirs', 'bob', 90n)] },
      { time: 10, moves: [move('bob', 'carol', 10n), move('bob', 'eve', 90n)] },
    ];
    const back = await ask(sources, { start: 'carol', backward: true });
    expect(path(back)).toEqual(['carol>bob', 'bob>ours']);
  });

  test('of two receipts that fit, the later one is passed on first', async () => {
    const came = [brought(5, 100n), { ...arrival, time: 1_000 }];
    const story = [...came, paid(1_020, 'x', 30n), paid(1_021, 'ours', 100n), paid(5_000, 'theirs', 100n)];
    expect(path(await ask(story))).toEqual(['alice>bob', 'bob>ours']);
  });

  test('what may be a stranger’s leaves room for what else may be the money, but for nothing larger', async () => {
    const came = [brought(5, 100n), arrival];
    const doubtful = [paid(20, 'x', 65n), paid(21, 'y', 30n)];
    const named = async (...last: ReturnType<typeof paid>[]) => {
      const { hops } = await ask([...came, ...doubtful, ...last]);
      return [hops[1]?.to, ...(hops[1]?.others.map(({ to }) => to) ?? [])];
    };
    expect(await named(paid(22, 'z', 20n))).toEqual(['x', 'y', 'z']);
    expect(await named(paid(22, 'z', 5_000n))).toEqual(['x', 'y']);
  });

  test('what passes on the whole money leaves nothing to a later and larger payment, whatever else had come', async () => {
    const came = [brought(400, 100n), { ...arrival, time: 1_000 }, brought(1_005, 7n)];
    const story = [...came, paid(1_010, 'theirs', 7n), paid(1_060, 'ours', 100n), paid(4_660, 'x', 5_000n)];
    const trail = await ask(story);
    expect(path(trail)).toEqual(['alice>bob', 'bob>ours']);
    expect(trail.hops[1]?.others).toEqual([]);
  });

  test('who brought as much and got it back is not whom the money was paid to', async () => {
    const came = [
      { ...arrival, time: 1_000 },
      { ...brought(5_000, 100n), moves: [move('friend', 'bob', 100n)] },
    ];
    const story = [...came, paid(5_600, 'friend', 100n), paid(9_000, 'ours', 100n)];
    expect(path(await ask(story))).toEqual(['alice>bob', 'bob>ours']);
    const alone = [...came, paid(5_600, 'friend', 100n)];
    expect(path(await ask(alone))).toEqual(['alice>bob', 'bob>friend']);
  });

  const strangersOf = async (story: readonly Parameters<typeof ask>[0][number][]) =>
    (await ask(story)).hops[1]?.others.map(({ to }) => to);

  test('a part of what a stranger just brought is the stranger’s, of what came as long ago as the money it is not', async () => {
    const then = [paid(200_000, 'x', 600n), paid(200_010, 'y', 250n)];
    const fresh = [{ ...arrival, moves: [move('alice', 'bob', 1_000n)] }, brought(100_000, 500n)];
    expect(await strangersOf([...fresh, paid(100_060, 'theirs', 300n), ...then])).toEqual(['y']);
    const old = [{ ...arrival, moves: [move('alice', 'bob', 1_000n)] }, brought(11, 500n)];
    expect(await strangersOf([...old, paid(100_060, 'ours', 300n), ...then])).toEqual(['ours']);
    const later = [fresh[0] ?? arrival, paid(100_000, 'ours', 300n), brought(100_060, 500n)];
    expect(await strangersOf([...later, ...then])).toEqual(['ours']);
  });

  test('a small part says less for a receipt than a large one does, and each receipt is passed on once', async () => {
    const story = (...payments: ReturnType<typeof paid>[]) => [
      { ...arrival, moves: [move('alice', 'bob', 1_000n)] },
      brought(1_000, 500n),
      ...payments,
      paid(200_000, 'x', 600n),
    ];
    expect(await strangersOf(story(paid(1_060, 'small', 5n)))).toEqual(['small']);
    const twice = story(paid(1_060, 'theirs', 300n), paid(1_060, 'ours', 200n));
    expect(await strangersOf(twice)).toEqual(['ours']);
  });

  test('how long ago the money came is told from its last arrival', async () => {
    const again = { ...arrival, time: 99_950, moves: [move('alice', 'bob', 500n)] };
    const first = { ...arrival, moves: [move('alice', 'bob', 500n)] };
    const story = [brought(99_940, 500n), paid(100_060, 'ours', 200n), paid(200_000, 'x', 750n)];
    expect(await strangersOf([first, again, ...story])).toEqual(['ours']);
    expect(await strangersOf([first, { ...again, time: 20 }, ...story])).toEqual([]);
  });

  test('a receipt is looked for behind a payment that says less for it', async () => {
    const story = [
      { ...arrival, moves: [move('alice', 'bob', 1_000n)] },
      brought(100_000, 500n),
      paid(100_030, 'small', 1n),
      paid(100_060, 'theirs', 300n),
      paid(200_000, 'x', 900n),
    ];
    expect(await strangersOf(story)).toEqual(['small']);
  });

  test('backward, what paid for a part of a stranger’s payment is the stranger’s', async () => {
    const paidIn = (time: number, from: string, amountRaw: bigint) => ({
      time,
      moves: [move(from, 'bob', amountRaw)],
    });
    const story = [
      paidIn(10, 'x', 600n),
      paidIn(20, 'y', 250n),
      paidIn(99_900, 'theirs', 300n),
      paid(100_000, 'stranger', 500n),
      paid(200_000, 'carol', 1_000n),
    ];
    const { hops } = await ask(story, { start: 'carol', backward: true });
    expect(hops[1]?.others.map(({ to }) => to)).toEqual(['y']);
  });

  const sold = (time: number, given: readonly bigint[], through: readonly string[]) => {
    const gaveRaw = given.reduce((sum, amountRaw) => sum + amountRaw, 0n);
    const swap = { owner: 'bob', gaveAsset: 'native', gaveRaw, gotAsset: 'mint', gotRaw: 5n };
    const legs = given.map((amountRaw, at) => move('bob', through[at] ?? '', amountRaw));
    const got = move('pool', 'bob', 5n, { asset: 'mint' });
    return { time, by: 'bob', moves: [...legs, got], swaps: [{ ...swap, through: 'pool' }] };
  };

  test('what a stranger brought and swapped is the stranger’s with all that left in that transaction', async () => {
    const ours = [paid(20, 'ours', 500n), paid(21, 'ours', 450n)];
    const received = { time: 10, moves: [move('alice', 'bob', 1_050n)] };
    const whole = await ask([received, brought(11, 1_000n), sold(12, [1_000n], ['pool']), ...ours]);
    expect(path(whole)).toEqual(['alice>bob', 'bob>ours']);
    const legs = sold(12, [600n, 400n], ['pool', 'second pool']);
    const split = await ask([received, brought(11, 1_000n), legs, ...ours]);
    expect(path(split)).toEqual(['alice>bob', 'bob>ours']);
    expect(split.hops[1]?.others).toEqual([]);
  });

  test('wrapping the coin passes nothing on', async () => {
    const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
    const wraps = {
      time: 11,
      moves: [move('bob', weth, 100n), move(null, 'bob', 100n, { kind: 'wrap', asset: weth })],
    };
    const story = [arrival, wraps, paid(20, 'ours', 65n), paid(21, 'too', 60n)];
    const { hops } = await ask(story, { chain: 'ethereum' });
    expect(hops[1]).toMatchObject({ to: 'ours', others: [{ to: 'too' }] });
  });

  test('the order of what one transaction paid decides nothing', async () => {
    const two = [move('bob', 'x', 95n), move('bob', 'y', 94n)];
    const own = { time: 1, moves: [move('own', 'bob', 100n)] };
    for (const moves of [two, two.toReversed()])
      expect(path(await ask([own, arrival, { time: 20, moves }]))).toEqual(['alice>bob', 'bob>x']);
  });

  test('many small payments are not the money because they sum to it', async () => {
    const others = Array.from({ length: 10 }, (_, at) => [
      brought(1_000 * (at + 1), 100n),
      paid(1_000 * (at + 1) + 60, `theirs ${at}`, 100n),
    ]);
    const story = [
      { time: 10, moves: [move('alice', 'bob', 600n)] },
      ...others.flat(),
      paid(50_000, 'x', 590n),
    ];
    const trail = await ask(story);
    expect(path(trail)).toEqual(['alice>bob', 'bob>x']);
    expect(trail.hops[1]?.others).toEqual([]);
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

  test('payments that come to just what arrived are not it where others lie between them', async () => {
    const strangers = [
      brought(11, 92n),
      paid(12, 'theirs', 92n),
      brought(13, 200n),
      paid(14, 'others', 200n),
    ];
    const trail = await ask([arrival, ...strangers, paid(20, 'ours', 99n), paid(30, 'shop', 7n)]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>ours']);
  });

  test('a part of what a stranger brought is found behind any number of crumbs', async () => {
    const crumbs = Array.from({ length: 100 }, (_, n) => paid(5_001 + n, `payee ${n}`, 1n));
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 100_000n)] },
      ...[brought(5_000, 50_000n), ...crumbs, paid(5_200, 'theirs', 40_000n)],
      ...[paid(9_000, 'x', 55_000n), paid(9_100, 'y', 44_000n)],
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>x']);
    expect(trail.hops[1]?.others.map(({ to }) => to)).not.toContain('theirs');
  });

  describe('what one transaction moved between two wallets in several rows is one sum', () => {
    const ended = paid(90, 'ours', 98n);
    const many = (time: number, from: string, to: string, ...amounts: bigint[]) => ({
      time,
      moves: amounts.map((amountRaw) => move(from, to, amountRaw)),
    });

    test('as a receipt', async () => {
      const story = [arrival, many(11, 'stranger', 'bob', 50n, 30n), paid(12, 'theirs', 80n), ended];
      const trail = await ask(story);
      expect(path(trail)).toEqual(['alice>bob', 'bob>ours']);
      expect(trail.hops[1]?.others).toEqual([]);
    });

    test('as a payment', async () => {
      const story = [arrival, brought(11, 80n), many(12, 'bob', 'theirs', 50n, 30n), ended];
      const trail = await ask(story);
      expect(path(trail)).toEqual(['alice>bob', 'bob>ours']);
      expect(trail.hops[1]?.others).toEqual([]);
    });

    test('as what a contract pays out at once', async () => {
      const moves = [
        ...[move('bob', 'router', 100n), move('stranger', 'router', 80n)],
        ...[move('router', 'theirs', 80n), move('router', 'ours', 50n), move('router', 'ours', 49n)],
      ];
      expect(path(await ask([arrival, { time: 12, by: 'relayer', moves }]))).toEqual([
        'alice>bob',
        'bob>ours',
      ]);
    });
  });

  test('whose money a contract paid out at once is in no doubt, though many others came between', async () => {
    const through = (time: number, from: string, to: string, amountRaw: bigint) => ({
      time,
      moves: [move(from, 'router', amountRaw), move('router', to, amountRaw)],
    });
    const others = Array.from({ length: 1_200 }, (_, n) => ({
      time: 100 + n,
      moves: [move(`a${n}`, 'router', 70n), move(`b${n}`, 'router', 70n), move('router', `c${n}`, 140n)],
    }));
    const trail = await ask([
      ...[through(10, 'alice', 'carol', 60n), ...others, through(5_000, 'alice', 'carol', 40n)],
      { time: 6_000, moves: [move('carol', 'cash', 100n)] },
    ]);
    expect(path(trail)).toEqual(['alice>carol', 'carol>cash']);
    expect(trail.end.detail).not.toContain('uncertain');
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

  test('what is swapped through whom a contract paid stands beside the hop to him', async () => {
    const swap = { owner: 'bob', gaveAsset: 'native', gaveRaw: 40n, gotAsset: 'usd', gotRaw: 5n };
    const { hops } = await ask([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, moves: [move('bob', 'router', 60n), move('router', 'desk', 60n)] },
      {
        ...{ time: 30, hash: 'swapped', swaps: [{ ...swap, through: 'desk' }] },
        moves: [move('bob', 'desk', 40n), move('desk', 'bob', 5n, { asset: 'usd' })],
      },
    ]);
    expect(hops[1]).toMatchObject({ from: 'bob', to: 'desk', amountRaw: 60n });
    expect(hops[1]?.others).toMatchObject([
      { to: 'desk', amountRaw: 40n, signature: 'swapped', output: { asset: 'usd', recipient: 'bob' } },
    ]);
  });

  test('a splitter that pays out to many is where the trail splits', async () => {
    const out = ['x', 'y', 'z'].map((to) => move('splitter', to, 33n));
    const trail = await ask([{ time: 10, moves: [move('alice', 'splitter', 100n), ...out] }]);
    expect(path(trail)).toEqual(['alice>splitter']);
    expect(trail.end).toMatchObject({ reason: 'split', address: 'splitter' });
  });
});
