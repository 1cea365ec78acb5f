import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { askTrace as ask, GAS, later, NOTE, T, USDC } from '../../testing/trace-story.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { Service } from '../model/trace-reader.ts';
import { CALIBRATION } from './ranking/combine-evidence.ts';

describe('an instant swapper', () => {
  const services = new Map<string, Service>([['desk', { entity: 'ChangeNOW', kind: 'exchange' }]]);
  const prices = createMemoryPriceReader([
    {
      ...{ chain: 'ethereum', canonicalAsset: 'native', source: 'market', span: 'hour', usd: 4_000 },
      ...{ beginUnixSeconds: T - 1_800, atUnixSeconds: T },
    },
  ]);
  const paysIn: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'desk', NOTE)] };
  const dollars = (to: string, time: number, usd: bigint): StoryStep => ({
    time,
    hash: `to-${to}`,
    moves: [move('desk', to, usd * 1_000_000n, { asset: USDC })],
  });
  const worth = [
    dollars('bob', T + 900, 3_960n),
    dollars('eve', T + 300, 3_800n),
    dollars('joe', T + 60, 4_200n),
  ];
  const request = { counterparty: 'desk' };

  test('is traced into another asset of the same worth, less what such services keep', async () => {
    const answer = await ask([paysIn, ...worth], request, { services, prices });
    expect(answer.anonymitySet).toBe(1);
    expect(answer.candidates).toMatchObject([{ wallet: 'bob', canonicalAsset: USDC, signature: 'to-bob' }]);
  });

  test('is traced backward likewise', async () => {
    const back = { ...request, wallet: 'bob', signature: 'to-bob', direction: 'in' as const };
    const answer = await ask([paysIn, ...worth], back, { services, prices });
    expect(answer.candidates).toMatchObject([{ wallet: 'ann', canonicalAsset: 'native', amountRaw: NOTE }]);
  });

  test('is asked for the prices of no more than a thousand moments at once, however many transfers may be worth as much', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => dollars(`p${index}`, T + 60 + index, 3_960n));
    const asked: number[] = [];
    const counting: PriceReader = {
      prices: (common, moments, limits) => {
        asked.push(moments.length);
        return prices.prices(common, moments, limits);
      },
    };
    const answer = await ask([paysIn, ...many], request, { services, prices: counting });
    expect(answer.anonymitySet).toBe(1_500);
    expect(Math.max(...asked)).toBe(750);
  });

  test('whose prices are not known gives no candidates, rather than guessed ones, and says so', async () => {
    const story = [paysIn, ...worth, later];
    expect(await ask(story, request, { services, prices })).toMatchObject({ scope: 'full', detail: null });
    const unpriced = { candidates: [], scope: 'partial', detail: expect.stringContaining('Prices') };
    expect(await ask(story, request, { services })).toMatchObject(unpriced);
    // Dollars have their price: the coin that they may have become has none.
    const dollarsIn = { ...paysIn, moves: [move('ann', 'desk', 4_000_000_000n, { asset: USDC })] };
    const back: StoryStep = { time: T + 900, moves: [move('desk', 'bob', NOTE)] };
    const asked = { ...request, coin: 0, usd: 4_000 };
    expect(await ask([dollarsIn, back, later], asked, { services })).toMatchObject(unpriced);
    // Nor has the coin of another hour, though that of the deposit has.
    const inTime: PriceReader = {
      prices: async (common, moments, limits) =>
        (await prices.prices(common, moments, limits)).map((price, index) =>
          moments[index]?.timeUnixSeconds === T ? price : null,
        ),
    };
    expect(await ask(story, request, { services, prices: inTime })).toMatchObject(unpriced);
  });

  describe('where it alone fits', () => {
    const calibration = { ...CALIBRATION, weights: { ...CALIBRATION.weights, 'equal_worth.strong': 3 } };
    const [fitting, others] = [worth.slice(0, 1), worth.slice(1)];
    const later: StoryStep = { time: T + 3_600, moves: [move('x', 'y', NOTE)] };
    const traced = async (...also: StoryStep[]) =>
      (await ask([paysIn, ...fitting, ...also, later], request, { services, prices, calibration }))
        .candidates;

    test('is told by its worth where the service paid nothing near it', async () => {
      const far = [dollars('zoe', T + 30, 2_600n), dollars('lou', T + 40, 6_000n)];
      const [found] = await traced(...far);
      expect(found).toMatchObject({ wallet: 'bob', evidence: [{ family: 'equal_worth' }] });
      expect(found?.confidence).toBeGreaterThan(0.5);
    });

    test('is no lead where the service paid others nearly as much, which may fit by chance', async () => {
      for (const other of [...others, dollars('zoe', T + 30, 2_700n), dollars('lou', T + 40, 5_900n)]) {
        const [found] = await traced(other);
        expect(found).toMatchObject({ wallet: 'bob', evidence: [] });
        expect(found?.confidence).toBeLessThan(0.5);
      }
    });

    test('is no lead where not all of the usual time is indexed', async () => {
      const known = { services, prices, calibration };
      const early = [paysIn, ...fitting, { ...later, time: T + 3_599 }];
      const hole = { fromUnixSeconds: T + 1_000, toUnixSeconds: T + 1_100 };
      for (const { candidates } of [
        await ask(early, request, known),
        await ask([paysIn, ...fitting, later], request, { ...known, gaps: [hole] }),
      ]) {
        expect(candidates).toMatchObject([{ wallet: 'bob', evidence: [] }]);
      }
    });

    test.each([1_000, 600, 100])(
      'is no lead because a window of %i seconds was asked for',
      async (windowSeconds) => {
        const near = dollars('near', T + 30, 3_960n);
        const other = dollars('zoe', T + 1_500, 3_800n);
        const narrow = { ...request, windowSeconds };
        const story = [paysIn, near, other, later];
        const { candidates } = await ask(story, narrow, { services, prices, calibration });
        expect(candidates).toMatchObject([{ wallet: 'near', evidence: [] }]);
      },
    );
  });

  test('that no list knows is told by the address it made for one order', async () => {
    const unknown = new Map<string, Service>([['desk', { entity: 'quick', kind: 'exchange' }]]);
    const busy = Array.from(
      { length: 20 },
      (_, index): StoryStep => ({ time: T - 5_000 + index, moves: [move(`c${index}`, 'desk', GAS)] }),
    );
    const order: StoryStep[] = [
      { time: T, hash: 'anchor', moves: [move('ann', 'order', NOTE)] },
      { time: T + 2_000, moves: [move('order', 'desk', NOTE - 21n)] },
    ];
    const viaOrder = { counterparty: 'order' };
    const answer = await ask([...busy, ...order, ...worth], viaOrder, { services: unknown, prices });
    expect(answer.candidates).toMatchObject([{ wallet: 'bob', via: 'order' }]);
    const candidatesAfter = async (...moves: ReturnType<typeof move>[]) => {
      const again: StoryStep = { time: T + 9_000, moves };
      const used = await ask([...busy, ...order, ...worth, again], viaOrder, { services: unknown, prices });
      return used.candidates;
    };
    expect(await candidatesAfter(move('ann', 'order', NOTE / 50n))).toEqual([]);
    // Anybody can send it a little: that makes it no address of a customer.
    const dust = ['ann', 'x', 'y', 'z'].flatMap((from) => [
      move(from, 'order', 1n),
      move(from, 'order', NOTE / 200n),
      move(from, 'order', 10_000n, { asset: USDC }),
    ]);
    expect(await candidatesAfter(...dust)).toMatchObject([{ wallet: 'bob', via: 'order' }]);
    const without = Array.from({ length: 5_000 }, () => move('x', 'order', 1n));
    expect(await candidatesAfter(...without)).toMatchObject([{ wallet: 'bob', via: 'order' }]);
    expect(await candidatesAfter(...without, move('ann', 'order', NOTE / 50n))).toEqual([]);
  });

  test('that paid somebody the same amount is searched for both, each candidate by the odds of its own kind', async () => {
    const same: StoryStep = { time: T + 1_200, moves: [move('desk', 'sam', NOTE)] };
    const calibration = {
      ...CALIBRATION,
      prior: { ...CALIBRATION.prior, exchange: { perFit: 4, missing: 2 }, swap: { perFit: 1, missing: 3 } },
    };
    const answer = await ask([paysIn, ...worth, same], request, { services, prices, calibration });
    expect(answer.anonymitySet).toBe(2);
    expect(answer.candidates).toMatchObject([
      { wallet: 'bob', mode: 'swap', confidence: 1 / 5 },
      { wallet: 'sam', mode: 'exchange', confidence: 1 / 10 },
    ]);
  });
});
