import { describe, expect, test } from 'vitest';
import { ask, path } from '../../../testing/ask-follow.ts';
import { move } from '../../../testing/chain-story.ts';
import { fromWholeUnits, toWholeUnits } from '../../model/amount.ts';

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

  test('does not go on with a payment that only a token’s own log tells of', async () => {
    const fake = '0x00000000000000000000000000000000000000fa';
    const told = [{ time: 10, by: 'spammer', moves: [move('bob', 'dora', 10n, { asset: fake })] }];
    const question = { chain: 'ethereum', canonicalAsset: fake, start: 'dora', counterparty: 'bob' };
    expect((await ask(told, question)).end.reason).toBe('no_data');
  });

  test('goes on with no more than what was paid, though a double cannot say it exactly', async () => {
    const oddRaw = 1_234_567_890_123_456_689n;
    const paid = [
      { time: 10, moves: [move('bob', 'carol', oddRaw)] },
      { time: 11, moves: [move('carol', 'dave', oddRaw)] },
    ];
    const later = [
      { time: 900, moves: [move('bob', 'carol', 50n * oddRaw)] },
      { time: 901, moves: [move('carol', 'elsewhere', 50n * oddRaw)] },
    ];
    const amount = toWholeUnits(oddRaw, 18);
    expect(fromWholeUnits(amount, 18)).toBeGreaterThan(oddRaw);
    const question = { chain: 'ethereum', start: 'carol', counterparty: 'bob', amount, atUnixSeconds: 10 };
    expect(path(await ask([...paid, ...later], question))).toEqual(['carol>dave']);
  });

  test('goes on with as much of a payment as is named, where a contract made it for several', async () => {
    const at = (time: number, ...moves: ReturnType<typeof move>[]) => ({ time, by: 'bob', moves });
    const shared = [
      at(10, move('alice', 'bob', 100n)),
      at(20, move('bob', 'pool', 100n), move('stranger', 'pool', 240n), move('pool', 'dora', 340n)),
      at(30, move('dora', 'eve', 100n)),
      at(40, move('dora', 'theirs', 240n)),
    ];
    const whole = await ask(shared);
    expect(path(whole)).toEqual(['alice>bob', 'bob>dora', 'dora>eve']);
    const question = { start: 'dora', counterparty: 'pool', amount: 100e-9, atUnixSeconds: 20 };
    expect((await ask(shared, question)).hops).toEqual(whole.hops.slice(2));
  });

  test('goes on with all of a payment that is named in round figures', async () => {
    const rounded = [
      { time: 12, moves: [move('bob', 'dora', 333_333n)] },
      { time: 13, moves: [move('stranger', 'dora', 900_000n)] },
      { time: 30, moves: [move('dora', 'eve', 333_333n)] },
    ];
    const question = { start: 'dora', counterparty: 'bob', amount: 0.000_333, atUnixSeconds: 12 };
    expect(path(await ask(rounded, question))).toEqual(['dora>eve']);
  });

  test('follows as much as is named whoever had brought it by then', async () => {
    const brought = [
      { time: 1, moves: [move('first', 'bob', 600n)] },
      { time: 10, moves: [move('second', 'bob', 400n)] },
    ];
    const left = [
      { time: 20, moves: [move('bob', 'carol', 600n)] },
      { time: 30, moves: [move('bob', 'dust', 300n)] },
    ];
    const question = { start: 'bob', atUnixSeconds: 10, amount: 1_000e-9 };
    const trail = await ask([...brought, ...left], question);
    expect(path(trail)).toEqual(['bob>carol']);
    expect(trail.hops[0]?.others).toMatchObject([{ to: 'dust' }]);
    const later = [{ time: 15, moves: [move('stranger', 'bob', 300n)] }, ...left];
    expect((await ask([...brought, ...later], question)).hops[0]?.others).toEqual([]);
  });

  test('follows as much as is named', async () => {
    const trail = await ask(story, { start: 'bob', amount: 1e-7, atUnixSeconds: 10 });
    expect(path(trail)).toEqual(['bob>carol']);
    expect(trail.hops[0]?.share).toBe(0.55);
  });
});
