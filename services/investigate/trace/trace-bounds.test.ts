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
  notes,
  POOL,
  paidOut,
  T,
  USDC,
} from '../../testing/trace-story.ts';
import type { Service, ServiceTransfer } from '../model/trace-reader.ts';
import { isExactFee, paidOutRange } from './matches/fee-model.ts';
import { AMONG_MAX, PROFILES_MAX } from './rules.ts';
import { trace } from './trace.ts';
import { TraceRefusedError } from './trace-answer.ts';
import { chooseWindow } from './window.ts';

describe('a service with more transfers than are read', () => {
  const story = tellStory('ethereum', [deposit, ...crowd]);
  const memory = createMemoryTraceReader(story, { services: new Map([POOL]) });
  /** All that is asked for but `short`. */
  const traceOver = (short: number) => {
    const serviceTransfers = async ({ limit }: { limit: number }, ranges: readonly unknown[]) =>
      ranges.map(() =>
        Array.from({ length: limit - short }, (_, index): ServiceTransfer => {
          const position = { blockTime: T + index + 1, blockNumber: T + index + 1, txIndex: 0 };
          return { wallet: 'pool', counterparty: 'bob', amountRaw: NOTE, ...position };
        }),
      );
    const transactionHashes = async (_: object, positions: readonly unknown[]) => positions.map(() => 'hash');
    const dependencies = { prices: createMemoryPriceReader(), signal: new AbortController().signal };
    return trace(forward, { ...dependencies, reader: { ...memory, serviceTransfers, transactionHashes } });
  };

  test('is searched in part, and the answer says so', async () => {
    const { window, scope, detail } = await traceOver(0);
    expect({ complete: window.complete, scope }).toEqual({ complete: false, scope: 'partial' });
    expect(detail).toContain('More transfers match than are read');
    const whole = await traceOver(1);
    expect(whole.window).toMatchObject({ complete: true, transactions: window.transactions - 1 });
    expect(whole.detail).not.toContain('More transfers match than are read');
  });
});

describe('a crowd of thousands', () => {
  const steps = [
    deposit,
    ...Array.from({ length: AMONG_MAX + 100 }, (_, index) => paidOut(`s${index}`, T + 60 + index)),
    ...[paidOut('ann', T + 50), paidOut('owner', T + 6_000)],
    ...['ann', 'owner', 's7', 's8'].map(
      (to, index): StoryStep => ({ time: T - 90 + index, moves: [move('hub', to, GAS)] }),
    ),
    ...Array.from(
      { length: 17 },
      (_, index): StoryStep => ({
        ...{ time: T - 60, hash: `faucet-${index}` },
        moves: [move('faucet', index === 0 ? 'ann' : `s${index + 20}`, GAS)],
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
      get:
        (reader, name) =>
        (common: object, keys: readonly { readonly among?: readonly string[] }[], limits: object) => {
          const among = keys.map((key) => key.among ?? []);
          for (const value of [...Object.values(common), ...among, keys])
            if (Array.isArray(value)) named.push(value.length);
          return Reflect.get(reader, name)(common, keys, limits);
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
    const strangers = Array.from({ length: others }, (_, index) => paidOut(`s${index}`, T + 10 + index));
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
    detail: expect.stringContaining('some evidence may be missing'),
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
  expect(await movedOf(1, 0)).toEqual([{ canonicalAsset: 'native', amountRaw: NOTE }]);
  expect(await movedOf(0, 5)).toEqual([{ canonicalAsset: USDC, amountRaw: 5_000_000n }]);
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
    Array.from({ length: 20 }, (_, index) => ({
      time: T - 5_000 + index,
      moves: [move(`c${index}`, wallet, GAS)],
    }));
  const codeOf = async (payees: readonly string[], service: Service, isBusy: boolean) => {
    const sweeps = payees.map(
      (payee, index): StoryStep => ({ time: T + index, moves: [move('box', payee, 5n)] }),
    );
    const paid: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'box', NOTE)] };
    const services = new Map(payees.map((payee) => [payee, service]));
    const steps = [...(isBusy ? payees.flatMap(busy) : []), paid, ...sweeps];
    const answer = await ask(steps, { counterparty: 'box' }, { services }).catch((error: unknown) => error);
    return answer instanceof TraceRefusedError ? answer.code : 'traced';
  };
  const hot = (count: number): string[] => Array.from({ length: count }, (_, index) => `hot-${index}`);

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
