import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import {
  askTrace as ask,
  crowd,
  deposit,
  evidenceOf,
  GAS,
  later,
  NOTE,
  notes,
  POOL,
  paidOut,
  T,
  USDC,
} from '../../testing/trace-story.ts';
import type { Service } from '../model/trace-reader.ts';

const familiesOf = async (...steps: StoryStep[]) => {
  return evidenceOf(await ask([deposit, ...crowd, ...steps]));
};

describe('what somebody else took of a wallet is no payment of it:', () => {
  const dollars = (from: string, to: string, by: string, authority: string | null): StoryStep => ({
    ...{ time: T - 5_000, by },
    moves: [move(from, to, 5_000_000n, { asset: USDC, authority })],
  });

  test('a thief with an allowance is not funded by his victim', async () => {
    expect(await familiesOf(dollars('ann', 'stranger-8', 'stranger-8', 'stranger-8'))).toEqual([]);
    expect(await familiesOf(dollars('stranger-8', 'ann', 'thief', 'drainer'))).toEqual([]);
  });

  test('nor do two share a funder that one of them took from', async () => {
    const funded: StoryStep = { time: T - 6_000, moves: [move('hub', 'ann', GAS)] };
    const taken = dollars('hub', 'stranger-8', 'stranger-8', 'stranger-8');
    expect(await familiesOf(funded, taken)).toEqual([]);
    expect(await familiesOf(funded, { ...taken, by: 'hub' })).toEqual(['shared_funder']);
  });

  test('a payment of its own is one, whoever brings it to the chain and through whichever contract', async () => {
    expect(await familiesOf(dollars('ann', 'stranger-8', 'bundler', null))).toEqual(['gas_by_depositor']);
    expect(await familiesOf(dollars('ann', 'stranger-8', 'ann', 'permits'))).toEqual(['gas_by_depositor']);
  });
});

describe('dust makes nobody popular:', () => {
  const EX: Service = { entity: 'ex', kind: 'exchange' };
  const services = new Map<string, Service>([POOL, ['hot', EX], ['box', EX]]);
  const labels = new Map([['box', { name: 'ex deposit', kind: 'exchange' as const }]]);
  const dustTo = (payee: string): StoryStep => ({
    time: T + 30,
    moves: Array.from({ length: 20 }, (_, index) => move(`d${index}`, payee, 1n)),
  });
  const busy = Array.from(
    { length: 20 },
    (_, index): StoryStep => ({ time: T - 5_000 + index, moves: [move(`c${index}`, 'hot', GAS)] }),
  );

  test('a deposit address that two share', async () => {
    const paying = ['ann', 'stranger-8'].map(
      (from, index): StoryStep => ({ time: T + 20_000 + index, moves: [move(from, 'box', GAS)] }),
    );
    const answer = async (...steps: StoryStep[]) =>
      (await ask([deposit, ...crowd, ...paying, ...steps, later], {}, { services, labels })).candidates;
    const honest = await answer();
    expect(honest[0]).toMatchObject({
      wallet: 'stranger-8',
      evidence: [{ family: 'shared_deposit_address', grade: 'strong' }],
    });
    expect(await answer(dustTo('box'))).toEqual(honest);
  });

  test('a funder of two that sent it to strangers', async () => {
    const funded = ['ann', 'stranger-8'].map(
      (to, index): StoryStep => ({ time: T - 100 + index, moves: [move('hub', to, GAS)] }),
    );
    const strangers = Array.from({ length: 20 }, (_, index) => move('hub', `d${index}`, 1n));
    expect(await familiesOf(...funded, { time: T - 50, moves: strangers })).toEqual(['shared_funder']);
  });

  test.each([99, 100, 398, 400])(
    'and hides no funder of two: that of %i strangers to one of them',
    async (count) => {
      const funded = ['ann', 'stranger-8'].map(
        (to, index): StoryStep => ({ time: T - 100 + index, moves: [move('hub', to, GAS)] }),
      );
      const dust = {
        time: T - 5_000,
        moves: Array.from({ length: count }, (_, index) => move(`d${index}`, 'ann', 1n)),
      };
      const { candidates, scope } = await ask([deposit, ...crowd, ...funded, dust, later]);
      expect(evidenceOf({ candidates })).toEqual(['shared_funder']);
      expect(scope).toBe('full');
    },
  );

  test('a deposit address that the money went through', async () => {
    const steps: StoryStep[] = [
      ...busy,
      { time: T, hash: 'in', moves: [move('ann', 'box', NOTE)] },
      { time: T + 100, moves: [move('box', 'hot', NOTE - 21n)] },
      { time: T + 1_200, hash: 'out', moves: [move('hot', 'bob', NOTE - NOTE / 1_000n)] },
      dustTo('box'),
      later,
    ];
    const back = { wallet: 'bob', counterparty: 'hot', signature: 'out', direction: 'in' } as const;
    const backward = await ask(steps, back, { services, labels });
    expect(backward.candidates).toMatchObject([{ wallet: 'ann', via: 'box' }]);
    const forward = await ask(steps, { counterparty: 'box', signature: 'in' }, { services, labels });
    expect(forward.candidates).toMatchObject([{ wallet: 'bob', via: 'box' }]);
  });

  test('a customer’s deposit address, whose payers are none of the exchange', async () => {
    const steps: StoryStep[] = [
      ...busy,
      { time: T, hash: 'anchor', moves: [move('ann', 'shop', NOTE)] },
      { time: T + 100, moves: [move('shop', 'box', NOTE - 21n)] },
      { time: T + 1_200, moves: [move('hot', 'stranger', NOTE - NOTE / 1_000n)] },
      dustTo('box'),
      later,
    ];
    await expect(ask(steps, { counterparty: 'shop' }, { services, labels })).rejects.toMatchObject({
      code: 'counterparty_not_traceable',
    });
  });
});

describe('a funder of two that uses the mixer itself takes no tie from them:', () => {
  const sums = [31n, 47n, 59n, 73n, 97n].map(
    (tenths, index): StoryStep => ({
      time: T - 5_000 + index,
      moves: [move(`saver-${index}`, 'pool', (tenths * NOTE) / 10n)],
    }),
  );
  const funded = ['ann', 'owner'].map(
    (to, index): StoryStep => ({ time: T - 3_000 + index, moves: [move('hub', to, GAS)] }),
  );
  const takenOut = (to: string, time: number, amountRaw: bigint): StoryStep => ({
    time,
    moves: [move('pool', to, amountRaw)],
  });
  const kept = (parts: bigint) => 4n * NOTE - NOTE / parts;
  const steps: StoryStep[] = [
    ...[...sums, ...funded, { time: T, hash: 'anchor', moves: [move('ann', 'pool', 4n * NOTE)] }],
    ...[1, 2, 3].map((at) => takenOut(`stranger-${at}`, T + 1_000 * at, kept(500n))),
    takenOut('owner', T + 9_000, kept(1_000n)),
  ];

  test.each([
    ['a part', NOTE],
    ['as much', kept(700n)],
  ])('%s of the amount', async (_, amountRaw) => {
    const answer = async (...more: StoryStep[]) =>
      (await ask([...steps, ...more], { coin: 4 })).candidates.find(({ wallet }) => wallet === 'owner');
    const honest = await answer();
    const used = await answer(takenOut('hub', T + 20_000, amountRaw));
    expect(honest?.evidence).toMatchObject([{ family: 'shared_funder' }]);
    expect(used?.evidence).toEqual(honest?.evidence);
  });
});

describe('a wallet that pays everybody', () => {
  const pays = (count: number, inCrowd: number, raw = GAS) =>
    Array.from(
      { length: count },
      (_, index): StoryStep => ({
        time: T - 50_000 + index,
        moves: [
          move('ann', index < inCrowd ? `stranger-${index}` : `other-${index}`, index < inCrowd ? GAS : raw),
        ],
      }),
    );
  const confidencesOf = async (steps: readonly StoryStep[]) => {
    const { candidates } = await ask([...steps, deposit, ...crowd]);
    return candidates.filter(({ evidence }) => evidence.length > 0).map(({ confidence }) => confidence);
  };

  test('has one owner’s wallet among those it paid, not each', async () => {
    const confidences = await confidencesOf(pays(90, 9));
    expect(confidences).toHaveLength(9);
    for (const confidence of confidences) expect(confidence).toBeCloseTo(1 / 9, 2);
  });

  test('is tied as another is to the only candidate whom it paid', async () => {
    expect(await confidencesOf(pays(90, 1))).toEqual([0.999]);
  });

  test('is not one that pays a few, nor one that sent others dust', async () => {
    expect(await confidencesOf(pays(15, 2))).toEqual([0.999, 0.999]);
    expect(await confidencesOf(pays(90, 2, 1n))).toEqual([0.999, 0.999]);
    expect(Math.max(...(await confidencesOf(pays(16, 2))))).toBeLessThan(0.51);
  });
});

describe('whom everybody pays, and who pays everybody, is a business that no list knows:', () => {
  const [busy, quiet] = [101, 90];
  const strangers = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `customer-${index}`);
  const paying = (from: string, to: string, time: number): StoryStep => ({
    time,
    moves: [move(from, to, GAS)],
  });
  const business = (wallet: string, side: 'in' | 'out', count: number): StoryStep => ({
    time: T - 40_000,
    moves: strangers(count).map((other) =>
      side === 'in' ? move(other, wallet, GAS) : move(wallet, other, GAS),
    ),
  });

  test.each([
    ['paid it', 'in', paying('ann', 'stranger-8', T - 100), 'gas_by_depositor'],
    ['was paid by it', 'out', paying('stranger-8', 'ann', T - 100), 'direct_transfer'],
  ] as const)('who %s is not tied to it', async (_, side, tie, family) => {
    expect(await familiesOf(business('stranger-8', side, busy), tie)).toEqual([]);
    expect(await familiesOf(business('stranger-8', side, quiet), tie)).toEqual([family]);
  });

  test('who paid or was paid by the same third is not tied to it', async () => {
    const payee = [paying('ann', 'friend', T - 100), paying('stranger-8', 'friend', T - 90)];
    expect(await familiesOf(business('stranger-8', 'out', busy), ...payee)).toEqual([]);
    expect(await familiesOf(business('stranger-8', 'in', busy), ...payee)).toEqual(['shared_payee']);
    const funder = [paying('friend', 'ann', T - 100), paying('friend', 'stranger-8', T - 90)];
    expect(await familiesOf(business('stranger-8', 'in', busy), ...funder)).toEqual([]);
  });

  test('but who was the first to pay it is', async () => {
    const first = paying('ann', 'stranger-8', T - 50_000);
    expect(await familiesOf(business('stranger-8', 'in', 500), first)).toEqual(['gas_by_depositor']);
  });

  test('a third that two alone paid is private only where it does not pay everybody', async () => {
    const payee = [paying('ann', 'desk', T - 100), paying('stranger-8', 'desk', T - 90)];
    const gradeOf = async (...steps: StoryStep[]) =>
      (await ask([deposit, ...crowd, ...payee, ...steps])).candidates[0]?.evidence[0]?.grade;
    expect(await gradeOf(business('desk', 'out', busy))).toBe('plain');
    expect(await gradeOf(business('desk', 'out', busy - 1))).toBe('strong');
  });
});

describe('who paid two is a funder of both', () => {
  const paying = (to: string, from: string, time: number): StoryStep => ({
    ...{ time, hash: `${from}-${to}` },
    moves: [move(from, to, GAS)],
  });
  const customer = [paying('ann', 'hub', T - 100), paying('stranger-8', 'hub', T - 99)];

  test('unless others had paid each of them before: a customer of two shops funds neither', async () => {
    const before = [paying('ann', 'x', T - 900), paying('stranger-8', 'y', T - 900)];
    expect(await familiesOf(...customer, ...before)).toEqual([]);
    for (const first of before) expect(await familiesOf(...customer, first)).toEqual(['shared_funder']);
  });

  test('also where strangers had sent them dust', async () => {
    const dust = ['ann', 'stranger-8'].map((to) => move('x', to, 1n));
    expect(await familiesOf(...customer, { time: T - 900, moves: dust })).toEqual(['shared_funder']);
  });
});

describe('who used the service everybody sees: what is paid afterwards ties from a hundredth of the deposit on', () => {
  const EX: Service = { entity: 'ex', kind: 'exchange' };
  const options = {
    services: new Map<string, Service>([POOL, ['box', EX]]),
    labels: new Map([['box', { name: 'ex deposit', kind: 'exchange' as const }]]),
    prices: createMemoryPriceReader([
      {
        ...{ chain: 'ethereum', canonicalAsset: 'native', source: 'market', span: 'hour', usd: 4_000 },
        ...{ beginUnixSeconds: T - 1_800, atUnixSeconds: T },
      },
    ]),
  };
  const bobs: StoryStep = { time: T + 19_000, moves: [move('stranger-8', 'box', NOTE)] };
  const paying = (to: string, raw: bigint, at = T + 20_000, asset?: string): StoryStep => ({
    time: at,
    moves: [move('ann', to, raw, asset === undefined ? {} : { asset })],
  });
  const tiesOf = async (steps: readonly StoryStep[]) =>
    evidenceOf(await ask([deposit, ...crowd, bobs, ...steps, later], {}, options));

  test.each([
    ['stranger-8', 'direct_transfer'],
    ['box', 'shared_deposit_address'],
  ])('by the depositor to %s', async (to, family) => {
    expect(await tiesOf([paying(to, GAS - 1n)])).toEqual([]);
    expect(await tiesOf([paying(to, GAS)])).toEqual([family]);
  });

  test('in dollars, by the price of that day, and where nobody knows it not at all, as the answer says', async () => {
    const dollars = (whole: bigint) => [paying('box', whole * 1_000_000n, T + 20_000, USDC)];
    expect(await tiesOf(dollars(39n))).toEqual([]);
    expect(await tiesOf(dollars(40n))).toEqual(['shared_deposit_address']);
    const unpriced = { ...options, prices: createMemoryPriceReader() };
    const unjudged = await ask([deposit, ...crowd, bobs, ...dollars(4_000n), later], {}, unpriced);
    expect(evidenceOf(unjudged)).toEqual([]);
    expect(unjudged).toMatchObject({
      scope: 'partial',
      detail: expect.stringContaining('Prices of that time'),
    });
  });

  test('by the recipient to the depositor, asked from either side', async () => {
    const back = (raw: bigint): StoryStep => ({
      time: T + 20_000,
      hash: 'back',
      moves: [move('stranger-8', 'ann', raw)],
    });
    const asked = { wallet: 'stranger-8', direction: 'in', signature: 'out' } as const;
    const backward = async (raw: bigint) => {
      const out = { ...paidOut('stranger-8', T + 5_400), hash: 'out' };
      const timeUnixSeconds = T + 5_400;
      return evidenceOf(
        await ask([...notes, deposit, out, back(raw), later], { ...asked, timeUnixSeconds }, options),
      );
    };
    expect([await tiesOf([back(GAS - 1n)]), await backward(GAS - 1n)]).toEqual([[], []]);
    expect([await tiesOf([back(GAS)]), await backward(GAS)]).toEqual([
      ['direct_transfer'],
      ['direct_transfer'],
    ]);
  });

  test.each([T - 5_000, T + 1_000])(
    'while what the recipient got before it ties whatever it was',
    async (at) => {
      expect(await tiesOf([paying('stranger-8', GAS / 10n, at)])).toEqual(['gas_by_depositor']);
    },
  );
});
