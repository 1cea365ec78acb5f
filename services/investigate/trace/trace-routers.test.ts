import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import {
  askRouted,
  askTrace,
  crowd,
  forward,
  GAS,
  later,
  NOTE,
  POOL,
  paidIn,
  paidOut,
  routed,
  T,
  WITH_ROUTER,
} from '../../testing/trace-story.ts';
import { presentAddress } from '../model/address.ts';
import type { Service } from '../model/trace-reader.ts';

const anchor: StoryStep = { ...routed('ann', T), hash: 'anchor' };
const relayed = paidOut('bob', T + 5_000, (NOTE * 97n) / 100n);

/** Notes of others that stay in both pools. */
const paidEach = [1, 2, 3, 4].flatMap((at): StoryStep[] => [
  { time: T - at * 100, moves: [move(`a${at}`, 'pool', NOTE)] },
  { time: T - at * 100 - 1, moves: [move(`b${at}`, 'pool-10', 10n * NOTE)] },
]);

describe('a deposit through the router of a mixer', () => {
  test('is traced through the pool behind it, though the router passes on notes of every size', async () => {
    const mixed = [3n, 10n, 30n].map((size, index) =>
      routed(`x${index}`, T - 900 + index, `pool-${size}`, size * NOTE),
    );
    const answer = await askRouted([...mixed, anchor, ...crowd, relayed]);
    expect(answer.anonymitySet).toBe(10);
    expect(answer.candidates.map(({ wallet }) => wallet)).toContain('bob');
  });

  test('is traced through the pool behind it where all that the router passes on is equal', async () => {
    const other = { time: T + 90, moves: [move('pool-10', 'eve', NOTE)] };
    const answer = await askRouted([anchor, ...crowd, relayed, other]);
    expect(answer.anonymitySet).toBe(10);
    expect(answer.candidates.map(({ wallet }) => wallet)).not.toContain('eve');
  });

  test('into two pools is traced through the larger one, and the other is told with what to ask for it', async () => {
    const split = [move('ann', 'router', 11n * NOTE), move('router', 'pool', NOTE)];
    const both: StoryStep = { ...anchor, moves: [...split, move('router', 'pool-10', 10n * NOTE)] };
    const others = Array.from({ length: 20 }, (_, index) => routed(`d${index}`, T - 1_000 + index));
    const steps = [
      ...others,
      both,
      ...crowd,
      { time: T + 90, moves: [move('pool-10', 'eve', 10n * NOTE)] },
      later,
    ];
    const answer = await askRouted(steps, { coin: 11 });
    expect(answer.candidates).toMatchObject([{ wallet: 'eve' }]);
    const pool = presentAddress(forward.chain, 'pool');
    const told = `also moved 1 ETH, which is not traced: a request with the counterparty ${pool} traces it.`;
    expect(answer).toMatchObject({ scope: 'partial', detail: expect.stringContaining(told) });
    const alone = await askRouted(steps, { counterparty: 'pool' });
    expect(alone).toMatchObject({ anonymitySet: 9, scope: 'full', detail: null });
    const fee = [move('ann', 'router', NOTE), move('router', 'pool-10', NOTE / 200n)];
    const paid: StoryStep = { ...anchor, moves: [...fee, move('router', 'pool', (NOTE * 199n) / 200n)] };
    expect((await askRouted([...others, paid, ...crowd, later])).detail).toBeNull();
  });

  describe('that is not indexed', () => {
    const unknown = { signature: 'unknown' };

    test('is traced through the pool that others’ equal notes went into', async () => {
      const before = Array.from({ length: 20 }, (_, index) => routed(`d${index}`, T - 1_000 + index));
      const other = { time: T + 90, moves: [move('pool-10', 'eve', NOTE)] };
      const answer = await askRouted([...before, anchor, ...crowd, other], unknown);
      expect(answer.anonymitySet).toBe((await askRouted([...before, anchor, ...crowd, other])).anonymitySet);
      expect(answer.candidates.map(({ wallet }) => wallet)).not.toContain('eve');
    });

    test('and is of another size than others’ notes is traced through the only pool there is', async () => {
      const before = Array.from({ length: 20 }, (_, index) => routed(`d${index}`, T - 1_000 + index));
      expect((await askRouted([...before, ...crowd], { ...unknown, coin: 2 })).anonymitySet).toBe(9);
    });

    test('and may be of any pool of a router is searched in all of them', async () => {
      const before = Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? routed(`d${index}`, T - 1_000 + index)
          : routed(`d${index}`, T - 1_000 + index, 'pool-10', 10n * NOTE),
      );
      const out: StoryStep[] = [
        paidOut('bea', T + 60, 5n * NOTE),
        { time: T + 90, moves: [move('pool-10', 'eve', 5n * NOTE)] },
      ];
      const { candidates } = await askRouted([...before, ...out], { ...unknown, coin: 5 });
      expect(candidates.map(({ wallet }) => wallet).toSorted()).toEqual(['bea', 'eve']);
    });
  });

  test('is traced through the pool that its own note went into, whatever else others handed on through it', async () => {
    const both: StoryStep = {
      ...{ time: T, hash: 'anchor', by: 'bundler' },
      moves: [...(anchor.moves ?? []), ...(routed('joe', 0, 'pool-10', 10n * NOTE).moves ?? [])],
    };
    const paid: StoryStep[] = [
      paidOut('bea', T + 900),
      { time: T + 950, moves: [move('pool-10', 'stranger', 10n * NOTE)] },
    ];
    const answer = await askRouted([...paidEach, both, ...paid]);
    expect(answer.anchor.moved).toEqual([{ canonicalAsset: 'native', amountRaw: NOTE }]);
    expect(answer.candidates.map(({ wallet }) => wallet)).toEqual(['bea']);
  });

  test('that pays for several at once is of what the traced wallet gave', async () => {
    const gave = [move('ann', 'router', NOTE), move('other', 'router', 9n * NOTE)];
    const batch = { time: T, hash: 'anchor', by: 'x', moves: [...gave, move('router', 'ex', 10n * NOTE)] };
    const paid = (time: number, to: string, raw: bigint) => ({ time, moves: [move('ex', to, raw)] });
    const kept = (raw: bigint) => (raw * 999n) / 1_000n;
    const answer = await askTrace(
      [
        batch,
        paid(T + 60, 'bea', kept(NOTE)),
        paid(T + 70, 'whale', kept(10n * NOTE)),
        paid(T + 9_000, 'z', 1n),
      ],
      { counterparty: 'ex' },
      { services: new Map<string, Service>([['ex', { entity: 'Ex', kind: 'exchange' }]]) },
    );
    expect(answer.candidates.map(({ wallet }) => wallet)).toEqual(['bea']);
  });

  test('counts for the pool behind it in what its depositor used', async () => {
    const steps: StoryStep[] = [
      routed('ann', T + 1, 'pool-10', 10n * NOTE),
      { time: T + 2, moves: [move('ann', 'pool', NOTE)] },
      paidOut('stranger-8', T + 6_000),
      { time: T + 7_000, moves: [move('pool-10', 'stranger-8', 10n * NOTE)] },
    ];
    const { candidates } = await askRouted([anchor, ...crowd, ...steps]);
    expect(candidates[0]).toMatchObject({
      wallet: 'stranger-8',
      evidence: [{ family: 'equal_counts', detail: expect.stringContaining('2 pools, 3 in all') }],
    });
  });
});

test('a pool that pays a fee to its treasury in the transaction of a deposit is no router', async () => {
  const treasury: [string, Service] = ['treasury', { entity: 'mix', kind: 'mixer' }];
  const fee = NOTE / 1_000n;
  const paidWithFee = (from: string, time: number, raw: bigint, hash = `${from}-${time}`): StoryStep => ({
    ...{ time, hash },
    moves: [move(from, 'pool', raw), move('pool', 'treasury', fee)],
  });
  const others = Array.from({ length: 60 }, (_, index) =>
    paidWithFee(`d${index}`, T - 10_000 + index, (NOTE / 10n) * BigInt(3 + (index % 17))),
  );
  const deposited = paidWithFee('ann', T, 4n * NOTE, 'anchor');
  const out = paidOut('owner', T + 2_000, 4n * NOTE - fee);
  const answer = await askTrace(
    [...others, deposited, out],
    { coin: 4 },
    { services: new Map([POOL, treasury]) },
  );
  expect(answer.candidates.map(({ wallet }) => wallet)).toEqual(['owner']);
});

describe('a note taken out for another address of the mixer where one is paid in', () => {
  const withDonations = new Map<string, Service>([
    ...WITH_ROUTER,
    ['donations', { entity: 'mix', kind: 'mixer' }],
  ]);
  const others = [1, 2, 3].map((at) => ({ time: T - at * 500, moves: [move(`payer-${at}`, 'pool', NOTE)] }));

  test.each([
    ['whole', [move('pool', 'donations', NOTE)]],
    ['less a fee', [move('pool', 'donations', (NOTE * 6n) / 10n), move('pool', 'x', (NOTE * 4n) / 10n)]],
  ])('makes no router of the pool of the traced deposit: %s', async (_, taken) => {
    const answer = async (moves: readonly ReturnType<typeof move>[]) => {
      const deposited: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'pool', NOTE), ...moves] };
      const { candidates, anonymitySet } = await askTrace(
        [...others, deposited, ...crowd, paidOut('ann', T + 9_000)],
        {},
        { services: withDonations },
      );
      return { candidates, anonymitySet };
    };
    expect(await answer(taken)).toEqual(await answer([]));
  });

  test('hides its deposit from nobody, and makes no router of the pool for others', async () => {
    const answer = async (...moves: readonly ReturnType<typeof move>[]) => {
      const { candidates, anonymitySet } = await askTrace(
        [
          ...others,
          { time: T - 5_000, moves: [move('payer-2', 'pool-10', 10n * NOTE)] },
          { time: T - 300, moves: [move('mallory', 'pool', NOTE), ...moves] },
          { time: T, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] },
          { time: T + 60, moves: [move('pool-10', 'ann', 10n * NOTE)] },
        ],
        { direction: 'in' },
        { services: withDonations },
      );
      return { candidates, anonymitySet };
    };
    const honest = await answer();
    expect(honest.candidates[0]).toMatchObject({ wallet: 'payer-2', evidence: [{ family: 'equal_counts' }] });
    expect(await answer(move('pool', 'donations', NOTE))).toEqual(honest);
  });
});

test('a withdrawal through a router is of each whom it paid', async () => {
  const both: StoryStep = {
    time: T + 900,
    moves: ['bob', 'joe'].flatMap((to) => [
      move('pool', 'router', NOTE),
      move('router', to, (NOTE * 98n) / 100n),
    ]),
  };
  const deposited: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'pool', NOTE)] };
  const answer = await askRouted([deposited, ...crowd, both], { counterparty: 'pool' });
  expect(answer.anonymitySet).toBe(11);
  expect(answer.candidates.map(({ wallet }) => wallet)).toEqual(expect.arrayContaining(['bob', 'joe']));
});

describe('a note that somebody paid a router beside others', () => {
  const others = [1, 2, 3].map((at) => paidIn(`a${at}`, T - at * 1_000, NOTE));
  const gas: StoryStep = { time: T - 400, moves: [move('bob', 'ann', GAS)] };
  const out: StoryStep = { time: T, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] };
  const traced = async (...moves: StoryStep['moves'] & {}) =>
    askRouted([...others, { time: T - 500, hash: 'several', moves }, gas, out], {
      ...{ counterparty: 'pool', direction: 'in' },
    });

  test.each([
    [
      'of its size',
      [move('bob', 'router', 2n * NOTE), move('router', 'pool', NOTE), move('router', 'pool', NOTE)],
      2,
    ],
    [
      'of another size',
      [
        move('bob', 'router', 11n * NOTE),
        move('router', 'pool-10', 10n * NOTE),
        move('router', 'pool', NOTE),
      ],
      1,
    ],
    ['with the router’s fee', [move('bob', 'router', (NOTE * 101n) / 100n), move('router', 'pool', NOTE)], 1],
    [
      'and got change of',
      [move('bob', 'router', 3n * NOTE), move('router', 'pool', NOTE), move('router', 'bob', 2n * NOTE)],
      1,
    ],
  ])('%s is its payer’s, backward', async (_, moves, notes) => {
    const { candidates, anonymitySet, excluded } = await traced(...moves);
    expect({ anonymitySet, excluded }).toEqual({ anonymitySet: 3 + notes, excluded: 0 });
    expect(candidates[0]).toMatchObject({ wallet: 'bob', signature: 'several', transfers: notes });
    expect(candidates[0]?.evidence.map(({ family }) => family)).toEqual(['gas_by_depositor']);
  });

  test('is of each as it paid, where several paid the router at once', async () => {
    const { candidates } = await traced(
      ...[move('bob', 'router', 2n * NOTE), move('joe', 'router', 10n * NOTE)],
      ...[move('router', 'pool-10', 10n * NOTE), move('router', 'pool', NOTE), move('router', 'pool', NOTE)],
    );
    expect(candidates.map(({ wallet }) => wallet).toSorted()).toEqual(['a1', 'a2', 'a3', 'bob']);
  });

  test('is nobody’s where a wallet of the mixer paid it out of what it had', async () => {
    const { candidates, excluded } = await traced(move('router', 'pool', NOTE));
    expect(candidates).toHaveLength(3);
    expect(excluded).toBe(1);
  });

  test('is of whom the router paid several at once, forward', async () => {
    const both = [move('pool', 'router', NOTE), move('pool', 'router', NOTE)];
    const answer = await askRouted(
      [
        ...others,
        { ...paidIn('ann', T, NOTE), hash: 'anchor' },
        { time: T + 500, moves: [...both, move('router', 'bob', 2n * NOTE)] },
        ...[paidOut('eve', T + 600), later],
      ],
      { counterparty: 'pool' },
    );
    const found = answer.candidates.map(({ wallet, transfers }) => [wallet, transfers]).toSorted();
    expect(found).toEqual([
      ['bob', 2],
      ['eve', 1],
    ]);
  });
});
