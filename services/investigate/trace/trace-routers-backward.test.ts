import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { askRouted, GAS, NOTE, paidIn, paidOut, routed, T } from '../../testing/trace-story.ts';
import { ROUTED_MAX } from './matches/look-behind-routers.ts';

describe('backward, deposits through a router', () => {
  const withdrawals: StoryStep[] = [
    { time: T, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] },
    { time: T + 60, moves: [move('pool-10', 'ann', 10n * NOTE)] },
  ];
  const back = { counterparty: 'pool', direction: 'in' } as const;

  test('are those of who paid the router', async () => {
    const deposits = [routed('payer-1', T - 500), routed('payer-2', T - 900)];
    const answer = await askRouted([...deposits, ...withdrawals], back);
    expect(answer).toMatchObject({ anonymitySet: 2, excluded: 0 });
    expect(answer.candidates.map(({ wallet }) => wallet).toSorted()).toEqual(['payer-1', 'payer-2']);
  });

  test('are of each who paid it, where several did in one transaction', async () => {
    const both: StoryStep = {
      time: T - 500,
      moves: [...(routed('bob', 0).moves ?? []), ...(routed('joe', 0).moves ?? [])],
    };
    const answer = await askRouted([both, ...withdrawals], back);
    expect(answer.candidates.map(({ wallet }) => wallet).toSorted()).toEqual(['bob', 'joe']);
  });

  test('are of each though a question for their rows ends within their transaction', async () => {
    const withFee = (from: string, percent: bigint) => [
      move(from, 'router', (NOTE * (100n + percent)) / 100n),
      move('router', 'pool', NOTE),
    ];
    const steps = Array.from(
      { length: 501 },
      (_, index): StoryStep => ({
        time: T - 500 - index,
        moves:
          index === 0 ? withFee('odd', 1n) : [...withFee(`bob-${index}`, 1n), ...withFee(`joe-${index}`, 2n)],
      }),
    );
    const { candidatesTotal } = await askRouted([...steps, ...withdrawals], back);
    expect(candidatesTotal).toBe(1_001);
  });

  test('are of each as much as it paid, where the router handed on the sum', async () => {
    const sums = [41n, 47n, 53n, 59n].map((tenths, index) =>
      paidIn(`d${index}`, T - 5_000 + index, (NOTE * tenths) / 10n),
    );
    const batch: StoryStep = {
      time: T - 500,
      moves: [
        ...[move('bob', 'router', 2n * NOTE), move('joe', 'router', 3n * NOTE)],
        move('router', 'pool', 5n * NOTE),
      ],
    };
    const out = { time: T, hash: 'anchor', moves: [move('pool', 'ann', 2n * NOTE)] };
    const gas = { time: T - 400, moves: [move('joe', 'ann', GAS)] };
    const answer = await askRouted([...sums, batch, out, gas], back);
    expect(answer.candidates.map(({ wallet, amountRaw }) => [wallet, amountRaw])).toEqual([
      ['joe', 3n * NOTE],
      ['bob', 2n * NOTE],
    ]);
  });

  test('are counted for each who paid it, where several did in one transaction', async () => {
    const payers = ['payer-1', 'payer-2', 'payer-3'];
    const deposits = payers.map((from, index) => routed(from, T - 500 * (index + 1)));
    const together: StoryStep = {
      time: T - 5_000,
      moves: payers.slice(1).flatMap((from) => routed(from, 0, 'pool-10', 10n * NOTE).moves ?? []),
    };
    const { candidates } = await askRouted([together, ...deposits, ...withdrawals], back);
    const counted = candidates.filter(({ evidence }) => evidence[0]?.family === 'equal_counts');
    expect(counted.map(({ wallet }) => wallet).toSorted()).toEqual(['payer-2', 'payer-3']);
  });

  test('say nothing in a token that nobody lists: its contract logs notes of whomever it likes', async () => {
    const asset = '0x00000000000000000000000000000000000000fa';
    const ofVictim = [routed('victim', T - 9_000), routed('victim', T - 8_000, 'pool-10', 10n * NOTE)];
    const threeOfEach = [1, 2].flatMap((n): StoryStep[] => [
      { time: T + 60 + n, moves: [move('pool', 'ann', NOTE)] },
      { time: T + 70 + n, moves: [move('pool-10', 'ann', 10n * NOTE)] },
    ]);
    const logged = ['pool', 'pool', 'pool-10', 'pool-10'].flatMap((pool) => [
      move('victim', 'router', 1n, { asset }),
      move('router', pool, 1n, { asset }),
    ]);
    const forge = (more: readonly ReturnType<typeof move>[]): StoryStep[] => [
      routed('mallory', T - 7_500),
      { ...routed('mallory', T - 9_500), moves: [...(routed('mallory', 0).moves ?? []), ...more] },
    ];
    const others = Array.from({ length: 9 }, (_, index) => routed(`payer-${index}`, T - 600 * (index + 1)));
    const steps = [...others, ...ofVictim, ...withdrawals, ...threeOfEach];
    const [honest, forged] = await Promise.all([
      askRouted([...steps, ...forge([])], back),
      askRouted([...steps, ...forge(logged)], back),
    ]);
    expect(honest.candidates[0]).toMatchObject({ wallet: 'victim', evidence: [{ family: 'multi_pool' }] });
    expect(forged.candidates).toEqual(honest.candidates);
  });

  describe('of thousands', () => {
    const owner = [0, 1].flatMap((at) => [
      routed('owner', T - 80_000 - at),
      routed('owner', T - 81_000 - at, 'pool-10', 10n * NOTE),
    ]);
    const twoOfEach: StoryStep[] = [
      { time: T + 1, moves: [move('pool', 'ann', NOTE)] },
      { time: T + 2, moves: [move('pool-10', 'ann', 10n * NOTE)] },
    ];
    const strangers = (notes: number) =>
      Array.from({ length: notes }, (_, index) => routed(`s${index % 700}`, T - 70_000 + 5 * index));
    const answerAmong = (notes: number) =>
      askRouted(
        [...owner, ...strangers(notes), ...withdrawals, ...twoOfEach, paidOut('z', T + 90_000)],
        back,
      );

    test('are compared pool by pool as those of a few are', async () => {
      const { candidates, detail } = await answerAmong(2_100);
      expect(candidates[0]).toMatchObject({ wallet: 'owner', evidence: [{ family: 'equal_counts' }] });
      expect(detail ?? '').not.toContain('check each for all evidence');
    });

    test('are told where there are more than are looked at', async () => {
      const { detail } = await answerAmong(ROUTED_MAX);
      expect(detail).toContain('check each for all evidence');
    });
  });

  test.each([
    ['of its own', [routed('payer-2', T - 4_000, 'pool', 1n)], []],
    ['of a note to another pool', [], routed('payer-2', 0, 'pool', 1n).moves ?? []],
  ])('count without the dust in a transaction %s', async (_, steps, moves) => {
    const deposits = ['payer-1', 'payer-2', 'payer-3'].map((from, index) =>
      routed(from, T - 500 * (index + 1)),
    );
    const second = routed('payer-2', T - 5_000, 'pool-10', 10n * NOTE);
    const dusty = { ...second, moves: [...(second.moves ?? []), ...moves] };
    const { candidates } = await askRouted([dusty, ...steps, ...deposits, ...withdrawals], back);
    expect(candidates[0]).toMatchObject({ wallet: 'payer-2', evidence: [{ family: 'equal_counts' }] });
  });

  test('are compared pool by pool', async () => {
    const deposits = ['payer-1', 'payer-2', 'payer-3'].map((from, index) =>
      routed(from, T - 500 * (index + 1)),
    );
    const more = routed('payer-2', T - 5_000, 'pool-10', 10n * NOTE);
    const answer = await askRouted([more, ...deposits, ...withdrawals], back);
    expect(answer.candidates.map(({ wallet, evidence }) => [wallet, evidence[0]?.family])).toEqual([
      ['payer-2', 'equal_counts'],
      [expect.anything(), undefined],
      [expect.anything(), undefined],
    ]);
  });
});
