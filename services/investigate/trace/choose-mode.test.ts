import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import {
  askTrace as ask,
  crowd,
  deposit,
  NOTE,
  notes,
  POOL,
  paidIn,
  paidOut,
  T,
  USDC,
} from '../../testing/trace-story.ts';
import type { Service } from '../model/trace-reader.ts';

test('a deposit smaller than the notes of a pool is traced as what it is', async () => {
  const less: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'pool', (NOTE * 3n) / 10n)] };
  const paidBack = paidOut('owner', T + 2_000, (NOTE * 3n) / 10n);
  const { candidates } = await ask([...notes, less, ...crowd, paidBack], { coin: 0.3 });
  expect(candidates.map(({ wallet }) => wallet)).toEqual(['owner']);
});

describe('what little others send it leaves a pool of equal notes one', () => {
  const NOTED = 100_000_000n;
  const dollars = (from: string, time: number, raw: bigint): StoryStep => ({
    time,
    moves: [move(from, 'pool', raw, { asset: USDC })],
  });
  const paid = Array.from({ length: 60 }, (_, index) => dollars(`d${index}`, T - 10_000 + index, NOTED));
  // The relayer keeps more than fees of free amounts are.
  const relayed: StoryStep = {
    time: T + 2_000,
    moves: [move('pool', 'owner', 88_000_000n, { asset: USDC })],
  };
  const modeAfter = async (...strays: StoryStep[]) => {
    const anchor = { ...dollars('ann', T, NOTED), hash: 'anchor' };
    const { candidates } = await ask([...paid, ...strays, anchor, relayed], { coin: 0, usd: 100 });
    return candidates.map(({ mode }) => mode);
  };
  const sent = (count: number, raw: bigint) =>
    Array.from({ length: count }, (_, index) => dollars(`x${index}`, T - 500 + index, raw));

  test.each([
    ['a dozen units', 12, 1n],
    ['more units than the sample holds', 150, 1n],
    ['a dozen times less than a hundredth of a note', 12, NOTED / 100n - 1n],
  ])('%s', async (_, count, raw) => {
    expect(await modeAfter(...sent(count, raw))).toEqual(['fixed']);
  });

  test('but not a dozen other sums', async () => {
    expect(await modeAfter(...sent(12, NOTED / 4n))).toEqual([]);
  });

  test('nor makes one large deposit a note of all the small ones before it', async () => {
    const small = Array.from({ length: 60 }, (_, index) =>
      paidIn(`d${index}`, T - 10_000 + index, NOTE + BigInt(index)),
    );
    const large = paidIn('whale', T - 10, 1_000n * NOTE);
    const out: StoryStep = { time: T, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] };
    const { candidates } = await ask([...small, large, out], { direction: 'in' });
    expect(candidates.map(({ mode }) => mode)).not.toContain('fixed');
  });
});

test('a pool of equal notes is searched for whole notes, whatever near to one was paid', async () => {
  const odd: StoryStep = { time: T - 100, moves: [move('odd', 'pool', (NOTE * 995n) / 1_000n)] };
  const paid: StoryStep = { time: T, hash: 'anchor', moves: [move('pool', 'ann', (NOTE * 99n) / 100n)] };
  expect((await ask([...notes, odd, paid], { direction: 'in' })).anonymitySet).toBe(20);
  const several: StoryStep = {
    ...{ time: T, hash: 'anchor' },
    moves: [1, 2, 3].map(() => move('ann', 'pool', NOTE)),
  };
  expect((await ask([...notes, several, ...crowd])).anonymitySet).toBe(9);
});

describe('what a relayer kept of a note is no note', () => {
  const services = new Map<string, Service>([POOL, ['router', POOL[1]]]);
  const [kept, rest] = [(NOTE * 2n) / 100n, (NOTE * 98n) / 100n];
  const traced = async (counterparty: string, moves: StoryStep['moves'] & {}, coin = 0.02) => {
    const withdrawn: StoryStep = { time: T, hash: 'anchor', moves };
    const { candidates } = await ask(
      [...notes, withdrawn],
      { counterparty, direction: 'in', coin },
      { services },
    );
    return candidates.length;
  };

  test('where the pool paid it', async () => {
    expect(await traced('pool', [move('pool', 'owner', rest), move('pool', 'ann', kept)])).toBe(0);
    expect(await traced('pool', [move('pool', 'ann', rest), move('pool', 'relayer', kept)])).toBe(20);
  });

  test('where a router paid it', async () => {
    const routed = [move('pool', 'router', NOTE), move('router', 'owner', rest), move('router', 'ann', kept)];
    expect(await traced('router', routed)).toBe(0);
  });

  test('where it kept some of several', async () => {
    const several = [1, 2, 3].flatMap((at) => [
      move('pool', `owner-${at}`, (NOTE * 6n) / 10n),
      move('pool', 'ann', (NOTE * 4n) / 10n),
    ]);
    expect(await traced('pool', several)).toBe(0);
  });

  test('where only the request tells of it', async () => {
    const another: StoryStep['moves'] & {} = [move('x', 'y', NOTE)];
    const told = async (coin: number) =>
      (await ask([...notes, { time: T, moves: another }], { direction: 'in', coin }, { services })).candidates
        .length;
    expect([await told(0.02), await told(0.5), await told(0.6), await told(1)]).toEqual([0, 0, 20, 20]);
  });
});

describe('equal small sums make a pool of free amounts none of notes', () => {
  const sum = (NOTE * 12_345n) / 10_000n;
  const free = Array.from({ length: 200 }, (_, index) =>
    paidIn(`d${index}`, T - 50_000 + index, NOTE + BigInt(index * 7_919 + 1) * 10n ** 12n),
  );
  const small = Array.from({ length: 91 }, (_, index) => paidIn('launderer', T - 500 + index, 10n ** 14n));
  const candidatesOf = async (steps: readonly StoryStep[], request = {}) =>
    (await ask([...free, ...small, ...steps], { coin: 1.2345, ...request })).candidates.map(
      ({ wallet }) => wallet,
    );
  const out = [paidOut('bob', T + 3_000, sum), paidOut('z', T + 90_000, 1n)];

  test('that any larger deposit is so many of', async () => {
    const deposited = { ...paidIn('ann', T, sum), hash: 'anchor' };
    expect(await candidatesOf([deposited, ...out])).toEqual(['bob']);
  });

  test('nor where the deposit is not indexed, and would be more of them than one transaction holds', async () => {
    expect(await candidatesOf(out)).toEqual(['bob']);
  });

  test('that any larger withdrawal is so many of', async () => {
    const withdrawn = { ...paidOut('ann', T, sum), hash: 'anchor' };
    const found = await candidatesOf([paidIn('bob', T - 3_000, sum), withdrawn], { direction: 'in' });
    expect(found).toContain('bob');
  });
});

describe('what a mixer of any amounts was paid is no note', () => {
  test('where it is the only deposit that is indexed, of a sum that nobody else would choose', async () => {
    const sum = (NOTE * 12_345n) / 10_000n;
    const deposited = { ...paidIn('ann', T, sum), hash: 'anchor' };
    const less = paidOut('eve', T + 600, (sum * 7n) / 10n);
    const { candidates } = await ask([deposited, less, paidOut('bob', T + 900, sum)]);
    expect(candidates).toMatchObject([
      { wallet: 'bob', mode: 'free', evidence: [{ family: 'exact_amount' }] },
    ]);
  });

  test.each([1, 9])(
    'where so few equal deposits are indexed (%i), and it paid more at once',
    async (deposits) => {
      const deposited = Array.from({ length: deposits }, (_, index) =>
        paidIn(`d${index}`, T - index, 4n * NOTE),
      );
      const less = paidOut('eve', T + 600, (NOTE * 27n) / 10n);
      const more = paidOut('big', T + 700, (NOTE * 73n) / 10n);
      const anchor = { ...paidIn('ann', T, 4n * NOTE), hash: 'anchor' };
      const { candidates } = await ask([
        ...deposited.slice(1),
        anchor,
        less,
        more,
        paidOut('bob', T + 900, 4n * NOTE),
      ]);
      expect(candidates).toMatchObject([{ wallet: 'bob', mode: 'free' }]);
    },
  );

  test('however many equal sums anybody paid into one that is known to take any', async () => {
    const services = new Map<string, Service>([['pool', { entity: 'Railgun', kind: 'mixer' }]]);
    const less = paidOut('eve', T + 600, (NOTE * 7n) / 10n);
    const kept = paidOut('bob', T + 900, (NOTE * 9_975n) / 10_000n);
    const { candidates } = await ask([...notes, deposit, less, kept], {}, { services });
    expect(candidates).toMatchObject([{ wallet: 'bob', mode: 'free' }]);
  });
});

test('a note is one whatever its depositor sent the pool beside it', async () => {
  const beside = { ...deposit, moves: [...(deposit.moves ?? []), move('ann', 'pool', 1n)] };
  // The relayer keeps more than fees of free amounts are.
  const relayed = paidOut('bob', T + 900, (NOTE * 6n) / 10n);
  const { candidates } = await ask([...notes, beside, relayed]);
  expect(candidates).toMatchObject([{ wallet: 'bob', mode: 'fixed' }]);
});

test('a transfer that is not indexed was of the stablecoin whose notes the pool takes', async () => {
  const asset = '0x6b175474e89094c44da98b954eedeac495271d0f';
  const hundred = 100n * NOTE;
  const dai = (from: string, to: string, raw: bigint) => move(from, to, raw, { asset });
  const others: StoryStep[] = [
    ...Array.from({ length: 20 }, (_, index) => ({
      time: T - 900 + index,
      moves: [dai(`d${index}`, 'pool', hundred)],
    })),
    ...Array.from({ length: 5 }, (_, index) => ({
      time: T - 100 + index,
      moves: [move('x', 'pool', 100_000_000n, { asset: USDC })],
    })),
    { time: T + 100, moves: [dai('pool-10', 'eve', hundred)] },
    { time: T + 500, moves: [dai('pool', 'bob', 80n * NOTE), dai('pool', 'relayer', 20n * NOTE)] },
  ];
  const indexed: StoryStep = { time: T, hash: 'anchor', moves: [dai('ann', 'pool', hundred)] };
  const dollars = { coin: 0, usd: 100 };
  const [verified, believed] = [await ask([...others, indexed], dollars), await ask(others, dollars)];
  expect(verified.candidates).toMatchObject([{ wallet: 'bob', mode: 'fixed' }]);
  expect(believed.candidates).toEqual(verified.candidates);
  expect(believed.anchor).toMatchObject({
    verified: false,
    moved: [{ canonicalAsset: asset, amountRaw: hundred }],
  });
});
