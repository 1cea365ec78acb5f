import { describe, expect, test } from 'vitest';
import { ask, path } from '../../../testing/ask-follow.ts';
import { move } from '../../../testing/chain-story.ts';

describe('a hop through contracts that paid out what they got at once', () => {
  test('carries what each of them and the payer sent to the same wallet, by its largest transaction', async () => {
    const { hops } = await ask([
      {
        ...{ time: 10, hash: 'through both', by: 'alice' },
        moves: [
          ...[move('alice', 'first', 100n), move('first', 'second', 60n), move('first', 'carol', 40n)],
          move('second', 'carol', 60n),
        ],
      },
      { time: 20, hash: 'straight', moves: [move('alice', 'carol', 70n)] },
    ]);
    expect(hops).toMatchObject([
      {
        ...{ from: 'alice', to: 'carol', amountRaw: 170n, share: 1, signature: 'through both', others: [] },
        carriers: [{ amountRaw: 100n }, { amountRaw: 70n }],
        through: [{ address: 'first' }, { address: 'second' }],
      },
    ]);
  });

  test('leaves out nothing that a contract sent on by another way', async () => {
    const trail = await ask([
      {
        time: 10,
        by: 'alice',
        moves: [move('alice', 'first', 75n), move('first', 'third', 75n), move('third', 'carol', 75n)],
      },
      {
        ...{ time: 20, by: 'alice' },
        moves: [
          ...[move('alice', 'first', 90n), move('first', 'second', 90n)],
          ...[move('second', 'third', 80n), move('second', 'dave', 10n), move('third', 'carol', 80n)],
        ],
      },
      { time: 30, moves: [move('carol', 'cash', 155n)] },
    ]);
    expect(path(trail)).toEqual(['alice>carol', 'carol>cash']);
    expect(trail.hops[0]).toMatchObject({
      amountRaw: 155n,
      others: [{ from: 'second', to: 'dave', amountRaw: 10n }],
    });
  });

  test('leads to who got just what was paid in, not to who got more of what others paid in beside', async () => {
    const moves = [
      ...[move('bob', 'router', 1_000n), move('customer', 'router', 49_000n)],
      ...[move('router', 'vault', 49_000n), move('router', 'carol', 990n)],
    ];
    const forward = await ask([
      { time: 10, moves: [move('alice', 'bob', 1_000n)] },
      { time: 20, by: 'relayer', moves },
    ]);
    expect(path(forward)).toEqual(['alice>bob', 'bob>carol']);
    expect(forward.hops[1]).toMatchObject({ amountRaw: 990n, share: 0.99, through: [{ address: 'router' }] });
    const backward = await ask([{ time: 20, by: 'relayer', moves }], { start: 'carol', backward: true });
    expect(path(backward)).toEqual(['carol>bob']);
  });

  test('leads to him too where others were sent the same way beside', async () => {
    const through = (from: string, way: readonly string[], amountRaw: bigint) =>
      [from, ...way].slice(0, -1).map((payer, at) => move(payer, way[at] ?? null, amountRaw));
    const trail = await ask([
      {
        ...{ time: 20, by: 'relayer' },
        moves: [
          ...through('alice', ['router', 'vault', 'carol'], 1_000n),
          ...through('customer', ['router', 'vault', 'dave'], 2_800n),
          ...through('another', ['router', 'erin'], 5_000n),
        ],
      },
    ]);
    expect(path(trail)).toEqual(['alice>carol']);
  });
});
