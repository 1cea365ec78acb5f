import { describe, expect, test } from 'vitest';
import {
  ask,
  countQuestions,
  followWith,
  path,
  readStory,
  toFollowRequest,
} from '../../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { follow } from '../follow.ts';

const arrival: StoryStep = { time: 10, moves: [move('alice', 'bob', 100n)] };
const pay = (time: number, ...moves: ReturnType<typeof move>[]): StoryStep => ({ time, by: 'bob', moves });
const TWO_WAYS: readonly StoryStep[] = [
  arrival,
  pay(20, move('bob', 'contract', 45n), move('contract', 'carol', 45n)),
  pay(30, move('bob', 'carol', 40n)),
  pay(40, move('bob', 'dave', 15n)),
];

describe('what reached one wallet both through contracts that paid out at once and without them', () => {
  test('is one hop, which no part of it were alone', async () => {
    const trail = await ask(TWO_WAYS);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.hops[1]).toMatchObject({
      ...{ amountRaw: 85n, share: 0.85, through: [{ address: 'contract', label: null }] },
      ...{ signature: 'tx-20-0', timeUnixSeconds: 20, sinceUnixSeconds: 20 },
      others: [{ from: 'bob', to: 'dave', amountRaw: 15n }],
    });
    expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'carol', holdingRaw: 85n });
  });

  test('is one hop backward as well', async () => {
    const trail = await ask(
      [
        pay(10, move('carol', 'contract', 45n), move('contract', 'bob', 45n)),
        pay(20, move('carol', 'bob', 40n)),
        pay(30, move('dave', 'bob', 15n)),
        pay(40, move('bob', 'alice', 100n)),
      ],
      { backward: true },
    );
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.hops[1]).toMatchObject({ amountRaw: 85n, through: [{ address: 'contract' }] });
  });

  test('is one hop through several contracts, beside or behind one another', async () => {
    const trail = await ask([
      arrival,
      pay(20, move('bob', 'one', 40n), move('one', 'carol', 40n)),
      pay(30, move('bob', 'two', 30n), move('two', 'three', 30n), move('three', 'carol', 30n)),
      pay(40, move('bob', 'dave', 30n)),
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    const through = ['one', 'two', 'three'].map((address) => ({ address, label: null }));
    expect(trail.hops[1]).toMatchObject({ amountRaw: 70n, through });
  });

  test('names what the contracts kept for others, and counts what they passed on', async () => {
    const trail = await ask([
      arrival,
      pay(20, move('bob', 'contract', 48n), move('contract', 'carol', 40n), move('contract', 'owner', 8n)),
      pay(30, move('bob', 'carol', 30n)),
      pay(40, move('bob', 'dave', 22n)),
    ]);
    expect(trail.hops[1]).toMatchObject({
      ...{ to: 'carol', amountRaw: 70n },
      others: [
        { from: 'bob', to: 'dave', amountRaw: 22n },
        { from: 'contract', to: 'owner', amountRaw: 8n },
      ],
    });
  });

  test('is its part of what a contract paid out for several at once', async () => {
    const trail = await ask([
      arrival,
      pay(20, move('bob', 'contract', 45n), move('erin', 'contract', 55n), move('contract', 'carol', 100n)),
      pay(30, move('bob', 'carol', 40n)),
      pay(40, move('bob', 'dave', 15n)),
    ]);
    expect(trail.hops[1]).toMatchObject({ to: 'carol', amountRaw: 85n });
  });

  test("names of what else a contract paid out only its part, and nothing that was others'", async () => {
    const out = [move('contract', 'carol', 60n), move('contract', 'zed', 40n)];
    const { hops } = await ask([
      arrival,
      pay(20, move('bob', 'contract', 45n), move('erin', 'contract', 55n), ...out),
      pay(30, move('bob', 'carol', 40n)),
      pay(40, move('bob', 'dave', 15n)),
    ]);
    expect(hops[1]).toMatchObject({
      ...{ to: 'carol', amountRaw: 67n },
      others: [
        { from: 'contract', to: 'zed', amountRaw: 18n },
        { from: 'bob', to: 'dave', amountRaw: 15n },
      ],
    });
  });

  test('is what a contract paid him just as it came, not what it paid others for more', async () => {
    const out = [move('contract', 'vault', 4_900n), move('contract', 'carol', 44n)];
    const trail = await ask([
      arrival,
      pay(20, move('bob', 'contract', 44n), move('erin', 'contract', 4_900n), ...out),
      pay(30, move('bob', 'carol', 40n)),
      pay(40, move('bob', 'vault', 16n)),
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.hops[1]).toMatchObject({ amountRaw: 84n, others: [{ to: 'vault', amountRaw: 16n }] });
  });

  test('counts no fee that a contract kept of it', async () => {
    const { hops } = await ask([
      { time: 10, moves: [move('alice', 'bob', 1_000n)] },
      pay(20, move('bob', 'contract', 450n), move('contract', 'carol', 444n)),
      pay(30, move('bob', 'carol', 400n)),
      pay(40, move('bob', 'dave', 150n)),
    ]);
    expect(hops[1]).toMatchObject({ to: 'carol', amountRaw: 844n, share: 0.844 });
  });
});

test('what a service paid a contract takes no part of what that paid out for others', async () => {
  const trail = await ask(
    [
      arrival,
      pay(
        20,
        ...[move('bob', 'an exchange', 45n), move('an exchange', 'vault', 45n)],
        ...[move('bob', 'contract', 45n), move('contract', 'vault', 45n)],
        move('vault', 'carol', 45n),
      ),
      pay(40, move('bob', 'carol', 10n)),
    ],
    {},
    { 'an exchange': { name: 'Somebody Known', kind: 'exchange' } },
  );
  expect(trail.hops[1]).toMatchObject({
    ...{ to: 'carol', amountRaw: 55n, others: [{ to: 'an exchange', amountRaw: 45n }] },
    through: [{ address: 'contract' }, { address: 'vault' }],
  });
});

describe('what is no way to the same wallet leaves a split', () => {
  const split = { reason: 'split', address: 'bob' };
  const others = TWO_WAYS.slice(2);

  test('a contract that pays out later', async () => {
    const { end } = await ask([
      arrival,
      pay(20, move('bob', 'contract', 45n)),
      { time: 21, moves: [move('contract', 'carol', 45n)] },
      ...others,
    ]);
    expect(end).toMatchObject(split);
  });

  test('a contract that keeps more than half of it', async () => {
    const { end } = await ask([
      arrival,
      pay(20, move('bob', 'contract', 45n), move('contract', 'carol', 22n)),
      ...others,
    ]);
    expect(end).toMatchObject(split);
  });

  test.each(['exchange', 'bridge', 'mixer'] as const)('a known %s', async (kind) => {
    const { end } = await ask(TWO_WAYS, {}, { contract: { name: 'Somebody Known', kind } });
    expect(end).toMatchObject(split);
  });

  test('a payment that several brought as much for, and only one of them can have made', async () => {
    const { end } = await ask([
      arrival,
      pay(
        20,
        ...[move('bob', 'one', 40n), move('one', 'vault', 40n), move('vault', 'carol', 40n)],
        ...[move('bob', 'two', 40n), move('two', 'vault', 40n), move('vault', 'zed', 40n)],
      ),
      pay(40, move('bob', 'dave', 20n)),
    ]);
    expect(end).toMatchObject(split);
  });

  test('what whoever brought the money paid with what came back to him', async () => {
    const moves = [
      ...[move('alice', 'bob', 218n), move('bob', 'alice', 98n), move('alice', 'carol', 98n)],
      ...[move('bob', 'carol', 98n), move('bob', 'dave', 98n)],
    ];
    const { hops, end } = await ask([{ time: 10, moves }]);
    expect(hops).toMatchObject([{ to: 'bob', amountRaw: 218n, others: [{ to: 'carol', amountRaw: 98n }] }]);
    expect(end).toMatchObject(split);
  });

  test('a payment of which one who brought as much leaves nothing for the others', async () => {
    const { end } = await ask([
      { time: 10, moves: [move('alice', 'bob', 120n)] },
      pay(
        20,
        ...[move('bob', 'one', 50n), move('one', 'vault', 50n)],
        ...[move('bob', 'two', 30n), move('two', 'vault', 30n)],
        ...[move('vault', 'carol', 50n), move('vault', 'x', 20n), move('vault', 'y', 10n)],
      ),
      pay(40, move('bob', 'dave', 40n)),
    ]);
    expect(end).toMatchObject(split);
  });

  test('what came back to its payer', async () => {
    const { end } = await ask([
      arrival,
      pay(20, move('bob', 'contract', 45n), move('contract', 'other', 45n), move('other', 'bob', 45n)),
      ...others,
      pay(50, move('bob', 'erin', 45n)),
    ]);
    expect(end).toMatchObject(split);
  });
});

describe('what came back to its payer within the transaction makes no split', () => {
  const tip = move('bob', 'tips', 1n);
  test.each([
    ['a contract', [move('bob', 'a mirror', 99n), move('a mirror', 'bob', 99n)]],
    ['two', [move('bob', 'a mirror', 99n), move('a mirror', 'another', 98n), move('another', 'bob', 98n)]],
  ])('of what he sent on beside, through %s', async (_, round) => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 200n)] },
      pay(20, ...round, move('bob', 'carol', 99n), tip),
      pay(30, ...round, move('bob', 'carol', 99n), tip),
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.hops[1]).toMatchObject({ amountRaw: 198n, share: 0.99 });
  });
});

test('what came back by such ways within one transaction never left, and is not walked for ever', async () => {
  const by = (from: string, through: string, to: string, raw: bigint) => [
    move(from, through, raw),
    move(through, to, raw),
  ];
  const { hops, end } = await ask([
    {
      time: 10,
      moves: [
        ...[
          ...by('alice', 'one', 'bob', 50n),
          ...by('alice', 'two', 'bob', 50n),
          move('alice', 'carol', 51n),
        ],
        ...[...by('bob', 'three', 'alice', 23n), ...by('bob', 'four', 'alice', 22n)],
      ],
    },
    { time: 40, moves: ['dave', 'erin', 'fay'].map((to) => move('bob', to, 15n)) },
  ]);
  // Of what alice was left without, bob has a little more than carol.
  expect(hops).toMatchObject([
    { from: 'alice', to: 'bob', amountRaw: 55n, others: [{ to: 'carol', amountRaw: 51n }] },
  ]);
  expect(end).toMatchObject({ reason: 'split', address: 'bob' });
});

test('a contract that paid some of it to whom most went through another is on the hop as well', async () => {
  const story = [
    {
      time: 1,
      moves: [
        ...[move('bob', 'one', 98n), move('one', 'two', 100n), move('one', 'carol', 100n)],
        move('two', 'dave', 49n),
      ],
    },
    { time: 2, moves: [move('two', 'carol', 98n), move('bob', 'two', 102n), move('two', 'dave', 98n)] },
  ];
  const { hops } = await ask(story, { start: 'bob' });
  expect(hops).toMatchObject([{ from: 'bob', to: 'carol', amountRaw: 100n }]);
  expect(hops[0]?.through.map(({ address }) => address).sort()).toEqual(['one', 'two']);
});

test('a majority costs one question about whole transactions beside the one that shows the hops, where who got it paid out at once', async () => {
  const contract = pay(20, move('bob', 'contract', 60n), move('contract', 'carol', 60n));
  const wallet = [pay(20, move('bob', 'contract', 60n)), pay(21, move('contract', 'carol', 60n))];
  const questions = async (...steps: readonly StoryStep[]): Promise<[string[], number]> => {
    const { asked, counting } = countQuestions(readStory([arrival, ...steps]));
    const trail = await follow(toFollowRequest({}), followWith(counting));
    return [path(trail), asked.filter(({ name }) => name === 'wholeTransactions').length];
  };
  expect(await questions(contract)).toEqual([['alice>bob', 'bob>carol'], 2]);
  expect(await questions(...wallet)).toEqual([['alice>bob', 'bob>contract', 'contract>carol'], 1]);
});

test('of any number of contracts that pass money on at once the hundred largest payments are looked at', async () => {
  const contracts = Array.from({ length: 150 }, (_, n) => `contract ${n}`);
  const amountOf = (n: number): bigint => (n < 90 ? 10n : 1n);
  const moves = contracts.flatMap((to, n) => [move('bob', to, amountOf(n)), move(to, 'carol', amountOf(n))]);
  const reader = readStory([
    { time: 10, moves: [move('alice', 'bob', 960n)] },
    { time: 20, by: 'bob', moves },
  ]);
  const labelled: number[] = [];
  const labels: typeof reader.labels = (common, addresses, limits) => {
    labelled.push(addresses.length);
    return reader.labels(common, addresses, limits);
  };
  const { hops } = await follow(toFollowRequest({}), followWith({ ...reader, labels }));
  expect(hops[1]).toMatchObject({ to: 'carol', amountRaw: 910n });
  expect(hops[1]?.through).toHaveLength(100);
  expect(Math.max(...labelled)).toBe(100);
});
