import { describe, expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import {
  askTrace as ask,
  crowd,
  deposit,
  forward,
  GAS,
  later,
  NOTE,
  notes,
  POOL,
  paidOut,
  T,
} from '../../testing/trace-story.ts';
import type { Service, TraceReader } from '../model/trace-reader.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import { SEARCHED_MAX } from './rules.ts';
import { trace } from './trace.ts';
import { TraceRefusedError, type TraceRequest } from './trace-answer.ts';

describe('a mixer of equal notes, forward', () => {
  test('every note paid out in the window counts, those before the deposit and after the window do not', async () => {
    const outside = [paidOut('early', T - 10), paidOut('late', T + 86_401)];
    const answer = await ask([deposit, ...crowd, ...outside]);
    expect(answer).toMatchObject({ entity: 'mix', kind: 'mixer', direction: 'forward', anonymitySet: 9 });
    expect(answer.window).toMatchObject({ fromUnixSeconds: T, toUnixSeconds: T + 86_400, complete: true });
    const wallets = answer.candidates.map(({ wallet }) => wallet);
    expect(wallets.toSorted()).toEqual(crowd.map((_, index) => `stranger-${index}`));
  });

  test('without evidence nobody is more likely than one of the anonymity set, however near in time', async () => {
    const { candidates } = await ask([deposit, paidOut('next-second', T + 1), ...crowd]);
    const nearest = candidates.find(({ wallet }) => wallet === 'next-second');
    expect(nearest).toMatchObject({ tier: 'trivial', deltaSeconds: 1, evidence: [] });
    for (const { confidence } of candidates) expect(confidence).toBeLessThanOrEqual(1 / 10);
  });

  test('of equal candidates each is shown first equally often, and always the same for one anchor', async () => {
    const firstFor = async (hash: string): Promise<string | undefined> => {
      const answer = await ask([{ ...deposit, hash }, paidOut('next-second', T + 1), ...crowd], {
        signature: hash,
      });
      return answer.candidates[0]?.wallet;
    };
    const hashes = Array.from({ length: 200 }, (_, index) => `anchor-${index}`);
    const shown = await Promise.all(hashes.map(firstFor));
    const counts = [...Map.groupBy(shown, (wallet) => wallet).values()].map(({ length }) => length);
    // Ten wallets, twenty times each: three standard deviations either way. The order comes from the anchor's hash, so that
    // these two hundred fall the same in every run.
    expect(counts).toHaveLength(10);
    expect(Math.min(...counts)).toBeGreaterThan(7);
    expect(Math.max(...counts)).toBeLessThan(33);
    expect(await Promise.all(hashes.map(firstFor))).toEqual(shown);
  });

  test('a note less the fee of its relayer is the same amount; the fee itself and other pools are not', async () => {
    const relayed: StoryStep = {
      time: T + 100,
      moves: [move('pool', 'bob', (NOTE * 98n) / 100n), move('pool', 'relayer', (NOTE * 2n) / 100n)],
    };
    const answer = await ask([deposit, relayed, { time: T + 200, moves: [move('pool-10', 'cyd', NOTE)] }]);
    expect(answer.candidates.map(({ wallet }) => wallet)).toEqual(['bob']);
    expect(answer.anonymitySet).toBe(1);
  });

  test('a note comes out of the pool it went into: what another pool of as large notes paid is read, and is none of it', async () => {
    const other: StoryStep = { time: T + 60, moves: [move('pool-b', 'eve', NOTE)] };
    const services = new Map<string, Service>([POOL, ['pool-b', POOL[1]]]);
    const { window, candidates } = await ask([...notes, deposit, ...crowd, other], {}, { services });
    expect(candidates.map(({ wallet }) => wallet)).not.toContain('eve');
    expect(window).toMatchObject({ searched: ['pool', 'pool-b'], searchedTotal: 2 });
  });

  test('transfers to one wallet are one candidate, shown by the nearest', async () => {
    const answer = await ask([deposit, paidOut('bob', T + 900), paidOut('bob', T + 60), ...crowd]);
    expect(answer.anonymitySet).toBe(11);
    expect(answer.candidates.filter(({ wallet }) => wallet === 'bob')).toMatchObject([
      { transfers: 2, deltaSeconds: 60 },
    ]);
  });

  test('services and contracts among the recipients are left out of the anonymity set, and counted', async () => {
    const exchange = { name: 'Some Exchange', kind: 'exchange' as const };
    const sanctioned = { name: 'Another', kind: 'sanctioned' as const, passing: 'exchange' as const };
    for (const label of [exchange, sanctioned]) {
      const known = { services: new Map([POOL]), labels: new Map([['stranger-3', label]]) };
      const answer = await ask([deposit, ...crowd], {}, known);
      expect(answer).toMatchObject({ anonymitySet: 8, excluded: 1 });
      expect(answer.candidates.map(({ wallet }) => wallet)).not.toContain('stranger-3');
    }
  });
});

test('what the service paid itself is left out too, and counted with them', async () => {
  const own: StoryStep = { time: T + 60, moves: [move('pool', 'pool-10', NOTE)] };
  const answer = await ask([deposit, ...crowd, own]);
  expect(answer).toMatchObject({ anonymitySet: 9, excluded: 1, window: { transactions: 10 } });
});

describe('a mixer of equal notes, backward', () => {
  const withdrawal: StoryStep = {
    time: T,
    hash: 'anchor',
    moves: [move('pool', 'ann', (NOTE * 99n) / 100n), move('pool', 'relayer', NOTE / 100n)],
  };
  const paidIn = (from: string, time: number): StoryStep => ({ time, moves: [move(from, 'pool', NOTE)] });

  test('every note paid in before the withdrawal counts, as whole notes', async () => {
    const deposits = Array.from({ length: 5 }, (_, index) => paidIn(`payer-${index}`, T - 500 * (index + 1)));
    const answer = await ask([withdrawal, ...deposits, paidIn('after', T + 5)], { direction: 'in' });
    expect(answer).toMatchObject({ direction: 'backward', anonymitySet: 5 });
    const nearest = answer.candidates.find(({ wallet }) => wallet === 'payer-0');
    expect(nearest).toMatchObject({ amountRaw: NOTE, deltaSeconds: -500 });
  });

  test('the depositor who paid the recipient before is told by it', async () => {
    const gas: StoryStep = { time: T - 50, hash: 'gas', moves: [move('payer-2', 'ann', GAS)] };
    const deposits = Array.from({ length: 5 }, (_, index) => paidIn(`payer-${index}`, T - 500 * (index + 1)));
    const { candidates } = await ask([withdrawal, ...deposits, gas], { direction: 'in' });
    expect(candidates[0]).toMatchObject({
      wallet: 'payer-2',
      evidence: [{ family: 'gas_by_depositor', proofs: ['gas'] }],
    });
  });
});

describe('free amounts', () => {
  const odd = 3_141_592_653_589_793_238n;
  const others = [1n, 5n, 7n].map(
    (ether, index): StoryStep => ({ time: T - 100 + index, moves: [move('x', 'pool', ether * NOTE)] }),
  );
  const anchor: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'pool', odd)] };

  test('what the service paid in all in one transaction is what went in: exact to the last digit', async () => {
    const fee = odd / 300n;
    const out: StoryStep = {
      time: T + 900,
      hash: 'out',
      moves: [move('pool', 'bob', odd - fee), move('pool', 'treasury', fee)],
    };
    const near: StoryStep = { time: T + 60, moves: [move('pool', 'eve', odd - fee - 12_345n)] };
    const { candidates, anonymitySet } = await ask([...others, anchor, near, out]);
    expect(anonymitySet).toBe(2);
    expect(candidates[0]).toMatchObject({
      wallet: 'bob',
      evidence: [{ family: 'exact_amount', proofs: ['out'] }],
    });
  });

  test('a fee of a round share fits to the last digit', async () => {
    const out: StoryStep = { time: T + 900, moves: [move('pool', 'bob', odd - odd / 1_000n)] };
    const { candidates } = await ask([...others, anchor, out]);
    expect(candidates[0]?.evidence).toMatchObject([{ family: 'fee_fit' }]);
  });

  test('what a relayer got beside another’s withdrawal is a fee and does not fit, what a mixer pays several at once does', async () => {
    const small: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'pool', NOTE / 20n)] };
    const pays = (by: string, moves: StoryStep['moves'] & {}): StoryStep => ({ time: T + 900, by, moves });
    const [part, large] = [(to: string) => move('pool', to, NOTE / 21n), move('pool', 'joe', NOTE)];
    const answer = await ask([
      ...others,
      small,
      pays('relayer', [large, part('relayer')]),
      pays('worker', [large, part('bob')]),
      pays('eve', [part('eve'), part('eve')]),
      pays('agent', [part('kim')]),
    ]);
    expect(answer.candidates.map(({ wallet }) => wallet).toSorted()).toEqual(['bob', 'eve', 'kim']);
    expect(answer).toMatchObject({ anonymitySet: 4, excluded: 1 });
  });

  test('who takes his own money out through the mixer’s router is no relayer of it', async () => {
    const small: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'pool', NOTE / 20n)] };
    const raw = NOTE / 21n;
    const own = [move('pool', 'router', raw), move('router', 'rita', raw)];
    const relayed = [
      move('pool', 'router', NOTE),
      move('router', 'joe', NOTE - raw),
      move('router', 'relayer', raw),
    ];
    const services = new Map<string, Service>([POOL, ['router', POOL[1]]]);
    const found = async (...steps: StoryStep[]) =>
      (await ask([...others, small, ...steps], {}, { services })).candidates.map(({ wallet }) => wallet);
    expect(await found({ time: T + 900, by: 'rita', moves: own })).toEqual(['rita']);
    expect(await found({ time: T + 910, by: 'relayer', moves: relayed })).toEqual([]);
  });

  test('amounts outside the fee model do not fit', async () => {
    const out: StoryStep = { time: T + 900, moves: [move('pool', 'bob', (odd * 9n) / 10n)] };
    expect(await ask([...others, anchor, out])).toMatchObject({ anonymitySet: 0, candidates: [] });
  });
});

describe('an exchange', () => {
  const hot: [string, Service] = ['hot', { entity: 'ex', kind: 'exchange' }];
  const busy = Array.from(
    { length: 20 },
    (_, index): StoryStep => ({ time: T - 5_000 + index, moves: [move(`c${index}`, 'hot', GAS)] }),
  );
  const sweep: StoryStep = { time: T + 100, moves: [move('box', 'hot', NOTE - 21n)] };
  const paysIn: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'box', NOTE)] };
  const out: StoryStep = { time: T + 1_200, moves: [move('hot', 'bob', NOTE - NOTE / 1_000n)] };

  test('is found behind a deposit address that no list knows, by its sweep', async () => {
    const answer = await ask(
      [...busy, paysIn, sweep, out],
      { counterparty: 'box' },
      { services: new Map([hot]) },
    );
    expect(answer).toMatchObject({ entity: 'ex', kind: 'exchange' });
    expect(answer.window).toMatchObject({
      toUnixSeconds: T + 3_600,
      searched: ['box', 'hot'],
      searchedTotal: 2,
    });
    expect(answer.candidates).toMatchObject([{ wallet: 'bob', via: 'box', tier: 'strong' }]);
  });

  test('counts that address with those of the exchange, more than are listed', async () => {
    const wallets = Array.from({ length: SEARCHED_MAX }, (_, index) => [`wallet-${index}`, hot[1]] as const);
    const services = new Map([hot, ...wallets]);
    const { window } = await ask([...busy, paysIn, sweep, out], { counterparty: 'box' }, { services });
    expect(window.searched).toHaveLength(SEARCHED_MAX);
    expect(window).toMatchObject({ searchedTotal: SEARCHED_MAX + 2 });
    expect(window.searched[0]).toBe('box');
  });

  test.each([
    ['later', [paysIn, sweep]],
    ['at once', [{ ...paysIn, moves: [...(paysIn.moves ?? []), ...(sweep.moves ?? [])] }]],
  ])('backward, names the deposit address that handed the money on %s', async (_, paid) => {
    const services = new Map<string, Service>([hot, ['box', hot[1]]]);
    const withdrawal: StoryStep = {
      time: T + 1_200,
      hash: 'wd',
      moves: [move('hot', 'bob', NOTE - NOTE / 1_000n)],
    };
    const answer = await ask(
      [...busy, ...paid, withdrawal],
      { wallet: 'bob', counterparty: 'hot', signature: 'wd', direction: 'in' },
      { services },
    );
    expect(answer.candidates).toMatchObject([{ wallet: 'ann', via: 'box', deltaSeconds: -1_200 }]);
  });
});

describe('a request that cannot be traced says why:', () => {
  const refusal = async (steps: readonly StoryStep[], request: Partial<TraceRequest>) => {
    const error = await ask(steps, request).catch((thrown: unknown) => thrown);
    return error instanceof TraceRefusedError ? [error.code, error.field] : error;
  };

  test('a counterparty that is no mixer and no exchange', async () => {
    const paid: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'bob', NOTE)] };
    expect(await refusal([paid], { counterparty: 'bob' })).toEqual([
      'counterparty_not_traceable',
      'counterparty',
    ]);
  });

  test('a transfer of neither the coin nor a stablecoin', async () => {
    const token: StoryStep = {
      time: T,
      hash: 'anchor',
      moves: [move('ann', 'pool', NOTE, { asset: '0xcat' })],
    };
    expect(await refusal([token], {})).toEqual(['nothing_to_trace', 'signature']);
  });

  test.each([
    ['wallet', { wallet: 'zoe' }],
    ['counterparty', { counterparty: 'pool-10' }],
    ['direction', { direction: 'in' as const }],
  ])('a wrong %s', async (field, wrong) => {
    expect(await refusal([deposit], wrong)).toEqual(['anchor_contradicted', field]);
  });

  test('a wrong direction of what went through a router', async () => {
    const routed = [move('ann', 'router', NOTE), move('router', 'pool', NOTE)];
    const step: StoryStep = { time: T, hash: 'anchor', moves: routed };
    expect(await refusal([step], { direction: 'in' })).toEqual(['anchor_contradicted', 'direction']);
  });
});

test('the amount on the chain outranks the one in the body', async () => {
  const answer = await ask([deposit, ...crowd], { coin: 77, timeUnixSeconds: T - 500 });
  expect(answer.anchor).toMatchObject({
    verified: true,
    timeUnixSeconds: T,
    moved: [{ canonicalAsset: 'native', amountRaw: NOTE }],
  });
});

test('a transaction that no table holds is believed as the body tells it', async () => {
  const answer = await ask([{ ...deposit, hash: 'another' }, ...crowd], { signature: 'unknown' });
  expect(answer.anchor).toMatchObject({
    verified: false,
    moved: [{ canonicalAsset: 'native', amountRaw: NOTE }],
  });
  expect(answer.anonymitySet).toBe(9);
});

test('a deposit through a router is the depositor’s own', async () => {
  const routed: StoryStep = {
    time: T,
    hash: 'anchor',
    moves: [move('ann', 'router', NOTE), move('router', 'pool', NOTE)],
  };
  expect((await ask([routed, ...crowd])).anonymitySet).toBe(9);
});

describe('what is not indexed is said:', () => {
  test('nothing is missing', async () => {
    expect(await ask([deposit, ...crowd, later])).toMatchObject({ scope: 'full', detail: null });
  });

  test('the window reaches beyond the newest block', async () => {
    const { scope, detail } = await ask([deposit, ...crowd]);
    expect({ scope, detail }).toEqual({
      scope: 'partial',
      detail: expect.stringContaining('newest indexed'),
    });
  });

  test('blocks are missing within the window, and not where they are missing behind it', async () => {
    const scopeOf = async (fromUnixSeconds: number, toUnixSeconds: number) => {
      const gaps = [{ fromUnixSeconds, toUnixSeconds }];
      const { scope, detail } = await ask([deposit, ...crowd, later], {}, { gaps });
      return [scope, detail];
    };
    const said = ['partial', expect.stringContaining('Not every block')];
    expect(await scopeOf(T + 7_000, T + 8_000)).toEqual(said);
    expect(await scopeOf(T + 80_000, T + 90_000)).toEqual(said);
    expect(await scopeOf(T + 87_000, T + 90_000)).toEqual(['full', null]);
    // Of the blocks of one second the first may be missing.
    expect(await scopeOf(T - 100, T)).toEqual(said);
    expect(await scopeOf(T - 100, T - 1)).toEqual(['full', null]);
  });

  test('the anchor is unknown, others fit', async () => {
    const answer = await ask([deposit, ...crowd, later], { signature: 'unknown' });
    expect(answer).toMatchObject({ scope: 'partial', detail: expect.stringContaining('not indexed') });
  });

  test('the anchor is unknown and nothing fits', async () => {
    const answer = await ask([deposit, ...crowd, later], { signature: 'unknown', coin: 3.3 });
    expect(answer).toMatchObject({ scope: 'no_data', candidates: [] });
  });

  test('no block of the window is there', async () => {
    const answer = await ask([deposit, later], { signature: 'unknown', timeUnixSeconds: T + 900_000 });
    expect(answer).toMatchObject({ scope: 'no_data', detail: expect.stringContaining('No block') });
  });
});

test('how long a wallet has been known is said of each candidate, and decides nothing', async () => {
  const old: StoryStep = { time: T - 70_000, moves: [move('elsewhere', 'stranger-2', 5n)] };
  const { candidates } = await ask([deposit, ...crowd, old]);
  const seen = candidates.map(({ wallet, firstSeenUnixSeconds }) => [wallet, firstSeenUnixSeconds]);
  expect(Object.fromEntries(seen)).toMatchObject({ 'stranger-1': T + 1_200, 'stranger-2': T - 70_000 });
  expect(new Set(candidates.map(({ confidence }) => confidence)).size).toBe(1);
});

test('since when a wallet is known is not said where the block of its first transfer has no time', async () => {
  const timeless: StoryStep = { time: 0, moves: [move('elsewhere', 'stranger-2', GAS)] };
  const { candidates } = await ask([deposit, ...crowd, timeless]);
  const seen = candidates.map(({ wallet, firstSeenUnixSeconds }) => [wallet, firstSeenUnixSeconds]);
  expect(Object.fromEntries(seen)).toMatchObject({ 'stranger-1': T + 1_200, 'stranger-2': null });
});

describe('a reader that fails', () => {
  const story = tellStory('ethereum', [deposit, ...crowd]);
  const memory = createMemoryTraceReader(story, { services: new Map([POOL]) });
  const traceOver = (reader: Partial<TraceReader>) => {
    const dependencies = { prices: createMemoryPriceReader(), signal: new AbortController().signal };
    return trace(forward, { ...dependencies, reader: { ...memory, ...reader } }, { timeoutMs: 30 });
  };

  test.each(['services', 'serviceTransfers', 'transactionHashes'])(
    'whose %s never come ends the trace when its time is over, asked to stop',
    async (question) => {
      const asked: AbortSignal[] = [];
      const never = (_: object, __: readonly unknown[], { signal }: { signal: AbortSignal }) => {
        asked.push(signal);
        return new Promise<never>(() => {});
      };
      await expect(traceOver({ [question]: never })).rejects.toEqual(new ReadFailedError('timeout'));
      expect(asked).not.toEqual([]);
      expect(asked.every(({ aborted }) => aborted)).toBe(true);
    },
  );

  test('that does not know the hash of a transaction it gave gives no trace without it', async () => {
    const forgetful = { transactionHashes: async () => crowd.map(() => null) };
    await expect(traceOver(forgetful)).rejects.toEqual(new ReadFailedError('unavailable'));
  });
});
