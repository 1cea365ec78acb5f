import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { askTrace as ask, GAS, later, NOTE, T, USDC } from '../../testing/trace-story.ts';
import type { Service } from '../model/trace-reader.ts';

const EXCHANGE: Service = { entity: 'ex', kind: 'exchange' };
const services = new Map<string, Service>([
  ['hot', EXCHANGE],
  ['hot-2', EXCHANGE],
]);
const labels = new Map([['other', { name: 'Other 1', kind: 'exchange' as const }]]);
const busy = Array.from(
  { length: 20 },
  (_, index): StoryStep => ({ time: T - 50_000 + index, moves: [move(`c${index}`, 'hot', GAS)] }),
);
const earlier: StoryStep = { time: T - 90_000, moves: [move('x', 'y', NOTE)] };
const odd = 1_234_567_891_234_567_891n;
const paidBy = (payer: string, time = T - 1_200, raw = odd): StoryStep => ({
  ...{ time, hash: `${payer}-${time}` },
  moves: [move(payer, 'box', raw)],
});
const sweep: StoryStep = { time: T - 600, hash: 'sweep', moves: [move('box', 'hot', odd - 21n)] };
const withdrawal: StoryStep = {
  ...{ time: T, hash: 'anchor' },
  moves: [move('hot', 'bob', odd - NOTE / 1_000n)],
};
const backward = { wallet: 'bob', counterparty: 'hot', direction: 'in' as const };
const traced = (...steps: StoryStep[]) =>
  ask([earlier, ...busy, ...steps, withdrawal, later], backward, { services, labels });
const NOBODY = { candidates: [], anonymitySet: 0, excluded: 1 };

test('forward, a deposit address that no list knows is no lead, though the exchange pays it, too', async () => {
  const paid = NOTE - NOTE / 1_000n;
  const steps: StoryStep[] = [
    ...busy,
    { time: T, hash: 'anchor', moves: [move('ann', 'box', NOTE)] },
    { time: T + 100, moves: [move('box', 'hot', NOTE - 21n)] },
    { time: T + 900, moves: [move('hot', 'box', paid)] },
    { time: T + 1_200, moves: [move('hot', 'bob', paid)] },
    later,
  ];
  const answer = await ask(steps, { counterparty: 'box' }, { services });
  expect(answer).toMatchObject({ anonymitySet: 1, excluded: 1, candidates: [{ wallet: 'bob', via: 'box' }] });
});

describe('backward, a deposit address that no list knows', () => {
  test('is no lead: who paid it is, and the address is what the money came through', async () => {
    const answer = await traced(paidBy('ann'), sweep);
    expect(answer).toMatchObject({ anonymitySet: 1, scope: 'full', detail: null });
    expect(answer.candidates).toMatchObject([{ wallet: 'ann', via: 'box', signature: 'sweep' }]);
  });

  test('leads to the traced wallet itself where that had paid it', async () => {
    const { candidates } = await traced(paidBy('bob'), sweep);
    expect(candidates).toMatchObject([{ wallet: 'bob', via: 'box', sameWallet: true }]);
    expect(candidates[0]?.evidence.map(({ family }) => family)).toContain('same_wallet');
  });

  test('is told through whatever dust and strays others sent it, and the gas for sweeping a token', async () => {
    const dust = Array.from({ length: 20 }, (_, index) => paidBy(`d${index}`, T - 1_500 + index, 1n));
    const stray = paidBy('eve', T - 1_400, odd / 101n);
    expect((await traced(...dust, stray, paidBy('ann'), sweep)).candidates).toMatchObject([
      { wallet: 'ann', via: 'box' },
    ]);
    const dollars = (from: string, to: string, time: number, hash: string): StoryStep => ({
      ...{ time, hash },
      moves: [move(from, to, 1_234_567_891n, { asset: USDC })],
    });
    const swept = [
      dollars('ann', 'box', T - 1_200, 'in'),
      paidBy('gas', T - 700, NOTE / 100n),
      dollars('box', 'hot', T - 600, 'sweep'),
      dollars('hot', 'bob', T, 'anchor'),
    ];
    const request = { ...backward, coin: 0, usd: 1_234.567891 };
    const { candidates } = await ask([earlier, ...busy, ...swept, later], request, { services });
    expect(candidates).toMatchObject([{ wallet: 'ann', via: 'box' }]);
  });

  test('that several paid, or nobody before it passed on, leads to nobody, and the answer says so', async () => {
    const unknown = {
      ...NOBODY,
      scope: 'partial',
      detail: expect.stringContaining('payers are not all known'),
    };
    expect(await traced(paidBy('ann'), paidBy('joe', T - 1_100), sweep)).toMatchObject(unknown);
    expect(await traced(sweep)).toMatchObject(unknown);
    expect(await traced(sweep, paidBy('ann', T - 300))).toMatchObject(unknown);
  });

  test('that another exchange paid leads to nobody', async () => {
    // What an exchange pays on other chains no search here can see.
    expect(await traced(paidBy('other'), sweep)).toMatchObject({ ...NOBODY, scope: 'partial' });
  });

  test.each([
    ['paid somebody else as well', [{ time: T - 900, moves: [move('box', 'shop', NOTE)] }]],
    ['got a withdrawal from the exchange before', [paidBy('hot', T - 2_000)]],
    ['got one from another wallet of the exchange', [paidBy('hot-2', T - 2_000)]],
    ['got one from another wallet, and money of somebody else', [paidBy('hot-2', T - 2_000), paidBy('ann')]],
  ] satisfies [string, StoryStep[]][])('is none where it %s', async (_, steps) => {
    expect((await traced(...steps, sweep)).candidates).toMatchObject([{ wallet: 'box', via: null }]);
  });

  test('is none where it paid the address of a customer', async () => {
    const listed = new Map([...services, ['customer', EXCHANGE]]);
    const paid: StoryStep = { time: T - 600, moves: [move('box', 'customer', odd - 21n)] };
    const steps = [earlier, ...busy, paidBy('ann'), paid, withdrawal, later];
    const { candidates } = await ask(steps, backward, { services: listed });
    expect(candidates).toMatchObject([{ wallet: 'box', via: 'customer' }]);
  });

  test('is looked for among so many; where more paid the exchange, the answer says so', async () => {
    const among = async (count: number) => {
      const payers = Array.from(
        { length: count },
        (_, index): StoryStep => ({
          time: T - 2_000 + index,
          moves: [move(`p${index}`, 'hot', odd - 21n - BigInt(index)), move(`p${index}`, 'shop', NOTE)],
        }),
      );
      return (await traced(...payers)).detail;
    };
    expect(await among(200)).toBeNull();
    expect(await among(201)).toContain('payers are not all known');
  });
});
