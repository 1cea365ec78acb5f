import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import {
  askTrace as ask,
  crowd,
  deposit,
  NOTE,
  OTHER_POOL,
  POOL,
  paidOut,
  T,
} from '../../testing/trace-story.ts';
import type { Service } from '../model/trace-reader.ts';
import { CALIBRATION } from './combine-evidence.ts';

describe('evidence lifts its wallet above a nearer crowd, and names its transactions:', () => {
  const families = async (steps: readonly StoryStep[], wallet = 'stranger-8') => {
    const { candidates } = await ask([deposit, ...crowd, ...steps]);
    const [top, next] = candidates;
    expect(top?.wallet).toBe(wallet);
    expect(top?.confidence).toBeGreaterThan(next?.confidence ?? 1);
    return (top?.evidence ?? []).map(({ family, proofs }) => [family, ...proofs]);
  };

  test('the same wallet', async () => {
    expect(await families([{ ...paidOut('ann', T + 80_000), hash: 'own' }], 'ann')).toEqual([
      ['same_wallet', 'own'],
    ]);
  });

  test('a transfer outside the pool', async () => {
    const back: StoryStep = { time: T + 90_000, hash: 'back', moves: [move('stranger-8', 'ann', 3n)] };
    expect(await families([back])).toEqual([['direct_transfer', 'back']]);
  });

  test('gas from the depositor before the withdrawal', async () => {
    const gas: StoryStep = { time: T + 10, hash: 'gas', moves: [move('ann', 'stranger-8', 3n)] };
    expect(await families([gas])).toEqual([['gas_by_depositor', 'gas']]);
  });

  test('a funder that few others have', async () => {
    const funded = ['ann', 'stranger-8'].map(
      (to, at): StoryStep => ({ time: T - 100 + at, hash: `fund-${to}`, moves: [move('hub', to, 5n)] }),
    );
    expect(await families(funded)).toEqual([['shared_funder', 'fund-ann', 'fund-stranger-8']]);
  });

  test('equal counts over two pools', async () => {
    const more: StoryStep[] = [
      { time: T + 1, moves: [move('ann', 'pool-10', 10n * NOTE)] },
      { time: T + 7_000, moves: [move('pool-10', 'stranger-8', 10n * NOTE)] },
    ];
    expect((await families(more)).map(([family]) => family)).toEqual(['equal_counts']);
  });

  test('but no equal counts where the candidate used another pool of the mixer, too', async () => {
    const services = new Map<string, Service>([
      POOL,
      OTHER_POOL,
      ['pool-30', { entity: 'mix', kind: 'mixer' }],
    ]);
    const more: StoryStep[] = [
      { time: T + 1, moves: [move('ann', 'pool-10', 10n * NOTE)] },
      { time: T + 7_000, moves: [move('pool-10', 'stranger-8', 10n * NOTE)] },
    ];
    const elsewhere = { time: T + 7_100, moves: [move('pool-30', 'stranger-8', 30n * NOTE)] };
    const familiesOf = async (steps: readonly StoryStep[]) => {
      const { candidates } = await ask([deposit, ...crowd, ...steps], {}, { services });
      return candidates[0]?.evidence.map(({ family }) => family);
    };
    expect(await familiesOf(more)).toEqual(['equal_counts']);
    expect(await familiesOf([...more, elsewhere])).toEqual(['multi_pool']);
  });

  test('no counts are equal where a note came out before it went in', async () => {
    const more: StoryStep[] = [
      { time: T + 1, moves: [move('pool-10', 'stranger-8', 10n * NOTE)] },
      { time: T + 7_000, moves: [move('ann', 'pool-10', 10n * NOTE)] },
    ];
    const { candidates } = await ask([deposit, ...crowd, ...more]);
    expect(candidates.flatMap(({ evidence }) => evidence)).toEqual([]);
  });

  test('a deposit address of an exchange that both pay', async () => {
    const services = new Map<string, Service>([POOL, ['box', { entity: 'ex', kind: 'exchange' }]]);
    const paying = ['ann', 'stranger-8'].map(
      (from, at): StoryStep => ({
        time: T + 20_000 + at,
        hash: `pay-${from}`,
        moves: [move(from, 'box', 5n)],
      }),
    );
    const { candidates } = await ask([deposit, ...crowd, ...paying], {}, { services });
    expect(candidates[0]).toMatchObject({
      wallet: 'stranger-8',
      evidence: [{ family: 'shared_deposit_address', proofs: ['pay-ann', 'pay-stranger-8'] }],
    });
  });
});

test('a funder that half the chain has says nothing', async () => {
  const everybody = [
    'ann',
    ...crowd.map((_, at) => `stranger-${at}`),
    ...Array.from({ length: 30 }, (_, at) => `x${at}`),
  ];
  const faucet = everybody.map((to): StoryStep => ({ time: T - 100, moves: [move('faucet', to, 5n)] }));
  const { candidates } = await ask([deposit, ...crowd, ...faucet]);
  expect(candidates.flatMap(({ evidence }) => evidence)).toEqual([]);
});

describe('backward, gas from the depositor', () => {
  const withdrawal: StoryStep = { time: T, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] };
  const deposits = crowd.map(
    (_, at): StoryStep => ({ time: T - 500 * (at + 1), moves: [move(`payer-${at}`, 'pool', NOTE)] }),
  );
  const paidAt = async (time: number, request = {}) => {
    const gas: StoryStep = { time, hash: 'gas', moves: [move('payer-2', 'ann', 5n)] };
    const { candidates } = await ask([withdrawal, ...deposits, gas], { direction: 'in', ...request });
    return candidates.find(({ wallet }) => wallet === 'payer-2')?.evidence.map(({ family }) => family);
  };

  test('is gas only where it was there when the money came out', async () => {
    expect(await paidAt(T - 50)).toEqual(['gas_by_depositor']);
    expect(await paidAt(T + 50_000)).toEqual(['direct_transfer']);
  });

  test('is measured by the time in the body where the withdrawal is not indexed', async () => {
    const unknown = { signature: 'unknown' };
    expect(await paidAt(T - 50, unknown)).toEqual(['gas_by_depositor']);
    expect(await paidAt(T + 50_000, unknown)).toEqual(['direct_transfer']);
  });
});

describe('an exchange’s deposit address that both pay is seen', () => {
  const services = new Map<string, Service>([POOL, ['box', { entity: 'ex', kind: 'exchange' }]]);
  const both = ['ann', 'stranger-8'].map(
    (from, at): StoryStep => ({ time: T + 20_000 + at, moves: [move(from, 'box', 5n)] }),
  );
  const others = (side: (other: string) => StoryStep['moves']): StoryStep[] =>
    Array.from({ length: 150 }, (_, at) => ({ time: T - 9_000 + at, moves: side(`other-${at}`) ?? [] }));
  const evidenceOf = async (steps: readonly StoryStep[]) => {
    const { candidates } = await ask([deposit, ...crowd, ...both, ...steps], {}, { services });
    return candidates[0]?.evidence.map(({ family }) => family);
  };

  test('behind a hundred funders', async () => {
    const funded = others((other) => [move(other, 'ann', 5n)]);
    expect(await evidenceOf(funded)).toEqual(['shared_deposit_address']);
  });

  test('behind a hundred payees whom nobody knows', async () => {
    const paying = others((other) => [move('ann', other, 5n)]);
    expect(await evidenceOf(paying)).toEqual(['shared_deposit_address']);
  });
});

test('evidence that was found to say nothing is not listed', async () => {
  const both = ['ann', 'stranger-8'].map(
    (from, at): StoryStep => ({ time: T + 20_000 + at, moves: [move(from, 'shop', 5n)] }),
  );
  const listedAt = async (weight: number) => {
    const calibration = { ...CALIBRATION, weights: { 'shared_payee.strong': weight } };
    const { candidates } = await ask([deposit, ...crowd, ...both], {}, { calibration });
    return candidates.flatMap(({ evidence }) => evidence.map(({ family }) => family));
  };
  expect(await listedAt(1)).toEqual(['shared_payee']);
  expect(await listedAt(0)).toEqual([]);
});
