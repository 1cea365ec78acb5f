import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { askTrace, crowd, deposit, NOTE, OTHER_POOL, POOL, T } from '../../testing/trace-story.ts';
import type { Service } from '../model/trace-reader.ts';

const MIX: Service = { entity: 'mix', kind: 'mixer' };
const services = new Map<string, Service>([POOL, OTHER_POOL, ['router', MIX], ['proxy', MIX]]);
const ask = (steps: readonly StoryStep[], request = {}) => askTrace(steps, request, { services });

type Note = {
  readonly time: number;
  readonly pool?: string;
  readonly raw?: bigint;
  readonly via?: string | null;
};

/** A note paid into a pool, directly or through a wallet of the mixer that hands it on. */
const paysIn = (from: string, { time, pool = 'pool', raw = NOTE, via = null }: Note): StoryStep => ({
  ...{ time, hash: `${from}-${time}` },
  moves: via === null ? [move(from, pool, raw)] : [move(from, via, raw), move(via, pool, raw)],
});
const takesOut = (to: string, { time, pool = 'pool', raw = NOTE, via = null }: Note): StoryStep => ({
  time,
  moves: via === null ? [move(pool, to, raw)] : [move(pool, via, raw), move(via, to, raw)],
});
const large = { pool: 'pool-10', raw: 10n * NOTE };

describe('equal counts are seen behind a router', () => {
  test('that another deposit of the traced wallet went through', async () => {
    const found = async (via: string | null) => {
      const anchor = { ...paysIn('ann', { time: T, via: 'router' }), hash: 'anchor' };
      const more = [1, 2].map((at) => paysIn('ann', { ...large, time: T + at, via }));
      const out = [7_000, 8_000].map((at) => takesOut('stranger-8', { ...large, time: T + at }));
      return (await ask([anchor, ...more, ...crowd, ...out], { counterparty: 'router' })).candidates;
    };
    const direct = await found(null);
    expect(direct[0]).toMatchObject({ wallet: 'stranger-8', evidence: [{ family: 'equal_counts' }] });
    expect((await found('router'))[0]?.evidence[0]?.family).toBe('equal_counts');
    expect((await found('proxy'))[0]?.evidence[0]?.family).toBe('equal_counts');
  });

  test('that another deposit of a candidate went through, and no deposit of the crowd', async () => {
    const others = [1, 2, 3].map((at) => paysIn(`payer-${at}`, { time: T - at * 500 }));
    const withdrawals: StoryStep[] = [
      { ...takesOut('ann', { time: T }), hash: 'anchor' },
      takesOut('ann', { ...large, time: T + 60 }),
    ];
    const found = async (via: string | null) => {
      const second = paysIn('payer-2', { ...large, time: T - 5_000, via });
      return (await ask([...others, second, ...withdrawals], { direction: 'in' })).candidates;
    };
    const direct = await found(null);
    expect(direct[0]).toMatchObject({ wallet: 'payer-2', evidence: [{ family: 'equal_counts' }] });
    const [routed] = await found('proxy');
    expect(routed).toMatchObject({ wallet: 'payer-2', evidence: [{ family: 'equal_counts' }] });
    expect(routed?.confidence).toBe(direct[0]?.confidence);
  });

  test('that withdrawals from several pools went through', async () => {
    const found = async (via: string | null) => {
      const more = paysIn('ann', { ...large, time: T + 1 });
      const out = [
        takesOut('owner', { time: T + 5_500, via }),
        takesOut('owner', { ...large, time: T + 7_000, via }),
      ];
      return (await ask([deposit, more, ...crowd, ...out])).candidates;
    };
    const direct = await found(null);
    expect(direct[0]).toMatchObject({ wallet: 'owner', evidence: [{ family: 'equal_counts' }] });
    expect((await found('router'))[0]?.evidence).toEqual(direct[0]?.evidence);
  });
});

test('a pool of which somebody takes a note for another address where he pays one in is no router to others', async () => {
  const known = new Map<string, Service>([...services, ['pool-30', MIX], ['donations', MIX]]);
  const second = ['payer-1', 'payer-2', 'mallory'].map(
    (from, index): StoryStep => paysIn(from, { time: T - 8_000 + index, pool: 'pool-30', raw: 30n * NOTE }),
  );
  const trick = second.map((step) =>
    step.hash?.startsWith('mallory')
      ? { ...step, moves: [...(step.moves ?? []), move('pool-30', 'donations', 30n * NOTE)] }
      : step,
  );
  const answer = async (steps: readonly StoryStep[]) => {
    const first = ['payer-1', 'payer-2', 'payer-3', 'mallory'].flatMap((from, index) => [
      paysIn(from, { time: T - 500 * (index + 1) }),
      paysIn(from, { ...large, time: T - 500 * (index + 1) - 1 }),
    ]);
    const withdrawals: StoryStep[] = [
      { ...takesOut('ann', { time: T }), hash: 'anchor' },
      takesOut('ann', { ...large, time: T + 60 }),
    ];
    const { candidates } = await askTrace(
      [...steps, ...first, ...withdrawals],
      { direction: 'in' },
      { services: known },
    );
    return candidates;
  };
  const honest = await answer(second);
  expect(honest[0]).toMatchObject({ wallet: 'payer-3', evidence: [{ family: 'equal_counts' }] });
  expect(await answer(trick)).toEqual(honest);
});
