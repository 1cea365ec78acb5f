import { describe, expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import {
  askTrace as ask,
  crowd,
  deposit,
  evidenceOf,
  forward,
  GAS,
  NOTE,
  POOL,
  paidOut,
  T,
  USDC,
} from '../../testing/trace-story.ts';
import type { Service, ServiceTransfer } from '../model/trace-reader.ts';
import { isExactFee, paidOutRange } from './fits/fee-model.ts';
import { AMONG_MAX, PROFILES_MAX } from './rules.ts';
import { trace } from './trace.ts';
import { TraceRefusedError } from './trace-answer.ts';
import { chooseWindow } from './window.ts';

describe('a service with more transfers than are read', () => {
  const story = tellStory('ethereum', [deposit, ...crowd]);
  const memory = createMemoryTraceReader(story, { services: new Map([POOL]) });
  /** All that is asked for but `short`. */
  const traceOver = (short: number) => {
    const serviceTransfers = async ({ limit }: { limit: number }) =>
      Array.from({ length: limit - short }, (_, at): ServiceTransfer => {
        const position = { blockTime: T + at + 1, blockNumber: T + at + 1, txIndex: 0 };
        return { wallet: 'pool', counterparty: 'bob', amountRaw: NOTE, ...position };
      });
    const transactionHashes = async ({ positions }: { positions: readonly unknown[] }) =>
      positions.map(() => 'hash');
    const dependencies = { prices: createMemoryPriceReader(), signal: new AbortController().signal };
    return trace(forward, { ...dependencies, reader: { ...memory, serviceTransfers, transactionHashes } });
  };

  test('is searched in part, and the answer says so', async () => {
    const { window, scope, detail } = await traceOver(0);
    expect({ complete: window.complete, scope }).toEqual({ complete: false, scope: 'partial' });
    expect(detail).toContain('More transfers fit than are read');
    const whole = await traceOver(1);
    expect(whole.window).toMatchObject({ complete: true, transactions: window.transactions - 1 });
    expect(whole.detail).not.toContain('More transfers fit than are read');
  });
});

describe('a crowd of thousands', () => {
  const steps = [
    deposit,
    ...Array.from({ length: AMONG_MAX + 100 }, (_, at) => paidOut(`s${at}`, T + 60 + at)),
    ...[paidOut('ann', T + 50), paidOut('owner', T + 6_000)],
    ...['ann', 'owner', 's7', 's8'].map(
      (to, at): StoryStep => ({ time: T - 90 + at, moves: [move('hub', to, GAS)] }),
    ),
    ...Array.from(
      { length: 17 },
      (_, at): StoryStep => ({
        ...{ time: T - 60, hash: `faucet-${at}` },
        moves: [move('faucet', at === 0 ? 'ann' : `s${at + 20}`, GAS)],
      }),
    ),
  ];
  const memory = createMemoryTraceReader(
    tellStory(
      'ethereum',
      steps.toSorted((a, b) => a.time - b.time),
    ),
    { services: new Map([POOL]) },
  );
  const dependencies = { prices: createMemoryPriceReader(), signal: new AbortController().signal };

  test('is asked about by no question that names more of it than an engine takes', async () => {
    const named: number[] = [];
    const counting = new Proxy(memory, {
      get: (reader, name) => (request: object) => {
        for (const value of Object.values(request)) if (Array.isArray(value)) named.push(value.length);
        return Reflect.get(reader, name)(request);
      },
    });
    await trace(forward, { ...dependencies, reader: counting });
    expect(Math.max(...named)).toBeLessThanOrEqual(AMONG_MAX);
  });

  test('shows the same ties as a small one', async () => {
    const { candidates } = await trace(forward, { ...dependencies, reader: memory });
    const tied = candidates.filter(({ evidence }) => evidence.length > 0);
    const found = tied.map(({ wallet, evidence }) => [wallet, ...evidence.map(({ family }) => family)]);
    expect(found.toSorted()).toEqual([
      ['ann', 'same_wallet'],
      ['owner', 'shared_funder'],
      ['s7', 'shared_funder'],
      ['s8', 'shared_funder'],
    ]);
  });
});

test('where not every candidate can be compared pool by pool, the answer says so', async () => {
  const more: StoryStep = { time: T - 500, moves: [move('ann', 'pool-10', 10n * NOTE)] };
  const newest: StoryStep = { time: T + 90_000, moves: [move('x', 'y', NOTE)] };
  const owner: StoryStep[] = [
    paidOut('owner', T + 5_000),
    { time: T + 6_000, moves: [move('pool-10', 'owner', 10n * NOTE)] },
  ];
  const among = async (others: number) => {
    const strangers = Array.from({ length: others }, (_, at) => paidOut(`s${at}`, T + 10 + at));
    const { candidates, scope, detail } = await ask([more, deposit, ...strangers, ...owner, newest]);
    return {
      families: evidenceOf({ candidates }),
      scope,
      detail,
    };
  };
  expect(await among(PROFILES_MAX - 1)).toEqual({ families: ['equal_counts'], scope: 'full', detail: null });
  expect(await among(PROFILES_MAX)).toEqual({
    ...{ families: [], scope: 'partial' },
    detail: expect.stringContaining('of some it may be missing'),
  });
});

test('what was paid out in the second of the deposit counts only behind it', async () => {
  const { candidates } = await ask([paidOut('before', T), deposit, paidOut('behind', T), ...crowd]);
  const wallets = candidates.map(({ wallet }) => wallet);
  expect(wallets).toContain('behind');
  expect(wallets).not.toContain('before');
});

test('a block without a time of its own has that of the request', async () => {
  const answer = await ask([{ ...deposit, time: 0 }, ...crowd]);
  expect(answer).toMatchObject({ anchor: { verified: true, timeUnixSeconds: T }, anonymitySet: 9 });

  const withdrawn: StoryStep = { time: 0, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] };
  const gas: StoryStep = { time: T - 2_000, moves: [move('payer-1', 'ann', GAS)] };
  const { anonymitySet, candidates } = await ask([...notes, gas, withdrawn], { direction: 'in' });
  expect(anonymitySet).toBe(20);
  expect(candidates[0]).toMatchObject({ wallet: 'payer-1', evidence: [{ family: 'gas_by_depositor' }] });
});

test('of a coin and a dollar that passed at once, the one that the request speaks of is traced', async () => {
  const both: StoryStep = {
    ...{ time: T, hash: 'anchor' },
    moves: [move('ann', 'pool', NOTE), move('ann', 'pool', 5_000_000n, { asset: USDC })],
  };
  const movedOf = async (coin: number, usd: number) =>
    (await ask([both, ...crowd], { coin, usd })).anchor.moved;
  expect(await movedOf(1, 0)).toEqual([{ family: 'native', amountRaw: NOTE }]);
  expect(await movedOf(0, 5)).toEqual([{ family: USDC, amountRaw: 5_000_000n }]);
});

const notes = Array.from(
  { length: 20 },
  (_, at): StoryStep => ({ time: T - 900 + at, moves: [move(`payer-${at}`, 'pool', NOTE)] }),
);

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
  const paid = Array.from({ length: 60 }, (_, at) => dollars(`d${at}`, T - 10_000 + at, NOTED));
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
    Array.from({ length: count }, (_, at) => dollars(`x${at}`, T - 500 + at, raw));

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
    const small = Array.from({ length: 60 }, (_, at) => paidIn(`d${at}`, T - 10_000 + at, NOTE + BigInt(at)));
    const large = paidIn('whale', T - 10, 1_000n * NOTE);
    const out: StoryStep = { time: T, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] };
    const { candidates } = await ask([...small, large, out], { direction: 'in' });
    expect(candidates.map(({ mode }) => mode)).not.toContain('fixed');
  });
});

const paidIn = (from: string, time: number, raw: bigint): StoryStep => ({
  time,
  moves: [move(from, 'pool', raw)],
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
  const free = Array.from({ length: 200 }, (_, at) =>
    paidIn(`d${at}`, T - 50_000 + at, NOTE + BigInt(at * 7_919 + 1) * 10n ** 12n),
  );
  const small = Array.from({ length: 91 }, (_, at) => paidIn('launderer', T - 500 + at, 10n ** 14n));
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
      const deposited = Array.from({ length: deposits }, (_, at) => paidIn(`d${at}`, T - at, 4n * NOTE));
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
    ...Array.from({ length: 20 }, (_, at) => ({
      time: T - 900 + at,
      moves: [dai(`d${at}`, 'pool', hundred)],
    })),
    ...Array.from({ length: 5 }, (_, at) => ({
      time: T - 100 + at,
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
  expect(believed.anchor).toMatchObject({ verified: false, moved: [{ family: asset, amountRaw: hundred }] });
});

test('a window never begins before all time, and what of it is not indexed is said', async () => {
  expect(chooseWindow({ direction: 'in', windowSeconds: 604_800 }, 'mixer', 1_000)).toEqual({
    ...{ fromUnixSeconds: 0, toUnixSeconds: 1_000 },
  });
  const paid: StoryStep = { time: T, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] };
  const noted: StoryStep = { time: T - 100, moves: [move('bob', 'pool', NOTE)] };
  expect(await ask([noted, paid], { direction: 'in' })).toMatchObject({
    ...{ scope: 'partial', detail: expect.stringContaining('begins before the first indexed block') },
  });
});

describe('an address that no list knows is no exchange’s', () => {
  const EXCHANGE: Service = { entity: 'ex', kind: 'exchange' };
  const busy = (wallet: string): StoryStep[] =>
    Array.from({ length: 20 }, (_, at) => ({ time: T - 5_000 + at, moves: [move(`c${at}`, wallet, GAS)] }));
  const codeOf = async (payees: readonly string[], service: Service, isBusy: boolean) => {
    const sweeps = payees.map((payee, at): StoryStep => ({ time: T + at, moves: [move('box', payee, 5n)] }));
    const paid: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'box', NOTE)] };
    const services = new Map(payees.map((payee) => [payee, service]));
    const steps = [...(isBusy ? payees.flatMap(busy) : []), paid, ...sweeps];
    const answer = await ask(steps, { counterparty: 'box' }, { services }).catch((error: unknown) => error);
    return answer instanceof TraceRefusedError ? answer.code : 'traced';
  };
  const hot = (count: number): string[] => Array.from({ length: count }, (_, at) => `hot-${at}`);

  test.each([
    ['paid its collecting wallets, five at most', hot(5), EXCHANGE, true, 'traced'],
    ['paid more wallets than collect', hot(6), EXCHANGE, true, 'counterparty_not_traceable'],
    ['paid a mixer', hot(1), { entity: 'ex', kind: 'mixer' }, true, 'counterparty_not_traceable'],
    ['paid another customer’s address', hot(1), EXCHANGE, false, 'counterparty_not_traceable'],
  ] as const)('unless what it ever paid shows it: it %s', async (_, payees, service, isBusy, code) => {
    expect(await codeOf(payees, service, isBusy)).toBe(code);
  });
});

test('a fee above the amount leaves the smallest payment, and a fee fits to the last unit or not at all', () => {
  const flat = { sharePpm: [0n, 0n], flatRaw: [0n, 100n] } as const;
  expect(paidOutRange(flat, 50n)).toEqual({ minRaw: 1n, maxRaw: 50n });
  const share = { sharePpm: [3_000n, 3_000n], flatRaw: [0n, 0n] } as const;
  const fits = [996_998n, 996_999n, 997_000n, 997_001n, 997_002n].map((out) =>
    isExactFee(share, 1_000_000n, out),
  );
  expect(fits).toEqual([false, true, true, true, false]);
});
