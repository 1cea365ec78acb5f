import { describe, expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import {
  askVictims as ask,
  DOLLAR,
  pays,
  T,
  taken,
  told,
  USDC,
  USDT,
  usdc,
} from '../../testing/victims-story.ts';
import {
  GRANTS_MAX,
  PAYMENTS_MAX,
  TELLING_RESERVE_MS,
  TIME_BUDGET_MS,
  TRANSACTIONS_AT_ONCE,
  TRANSACTIONS_MAX,
} from './rules.ts';
import type { VictimsReport } from './victims-report.ts';

const reasons = ({ others }: VictimsReport) =>
  Object.fromEntries(others.map(({ address, reason }) => [address, reason]));

describe('how it was taken', () => {
  test('on an EVM chain: the payer sent the transaction, or a spender used an allowance', async () => {
    const report = await ask([pays(1, 'ann', 'thief', 50n), taken(2, 'bea', 'thief', 70n)]);
    expect(told(report)).toEqual([
      ['bea', 'approval 70'],
      ['ann', 'transfer 50'],
    ]);
    expect(report.totals).toMatchObject({ victims: 2, transfers: 2, usd: 120 });
  });

  test('on Solana: a delegate, an account handed over, an account closed by another, a signed payment', async () => {
    const usdcOf = { asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' };
    const by = (at: number, sender: string, moves: StoryStep['moves'] = []) => ({
      time: T + at,
      by: sender,
      moves,
    });
    const report = await ask(
      [
        by(1, 'thief', [move('ann', 'thief', DOLLAR, { ...usdcOf, authority: 'thief' })]),
        by(2, 'bea', [move('bea', 'thief', DOLLAR, { ...usdcOf, kind: 'owner_change' })]),
        by(3, 'thief', [move('cyd', 'thief', 2_039_280n, { authority: 'thief' })]),
        by(4, 'dot', [move('dot', 'thief', DOLLAR, usdcOf)]),
      ],
      { chain: 'solana' },
    );
    const methods = report.victims.map(({ address, losses }) => [address, losses[0]?.method]);
    expect(Object.fromEntries(methods)).toEqual({
      ...{ ann: 'delegate', bea: 'authority', cyd: 'close_account', dot: 'transfer' },
    });
  });

  test('a payment that the victim signed to a look-alike names whom it was meant for', async () => {
    const report = await ask([pays(1, 'ann', 'thief', 50n)], { imitated: { ann: 'friend' } });
    expect(report.victims[0]?.losses[0]).toMatchObject({ method: 'poisoned', intended: 'friend' });
  });

  test('through a contract that splits it at once, the loss is whole and who got the other part is a partner', async () => {
    const splits = (at: number, victim: string): StoryStep => ({
      ...{ time: T + at, by: victim },
      moves: [usdc(victim, 'kit', 100n), usdc('kit', 'thief', 20n), usdc('kit', 'partner', 80n)],
    });
    const report = await ask([splits(1, 'ann'), splits(2, 'bea')]);
    expect(told(report)).toEqual([
      ['ann', 'transfer 100'],
      ['bea', 'transfer 100'],
    ]);
    expect(report.victims[0]?.losses[0]?.toSubjectRaw).toBe(20n * DOLLAR);
    expect(report.affiliates).toMatchObject([{ address: 'partner', share: 0.8, victims: 2, usd: 160 }]);
  });

  test('however small it is beside others, what a partner shares or a look-alike got is no gift', async () => {
    const splits = (at: number, victim: string, cents: bigint): StoryStep => ({
      ...{ time: T + at, by: victim },
      moves: ['thief', 'partner'].map((to) => move(victim, to, cents * 5_000n, { asset: USDC })),
    });
    const large = pays(9, 'eve', 'thief', 5_000n);
    const kit = await ask([splits(1, 'ann', 200n), splits(2, 'bea', 300n), splits(3, 'cyd', 4n), large]);
    expect(kit.victims.map(({ address }) => address)).toEqual(['eve', 'bea', 'ann']);
    const poisoned = await ask([pays(1, 'ann', 'thief', 2n), pays(2, 'bob', 'thief', 2n), large], {
      imitated: { ann: 'friend' },
    });
    expect(poisoned.victims.map(({ address }) => address)).toEqual(['eve', 'ann']);
  });

  test('what was sold on the way is lost as what it was', async () => {
    const moves = [
      usdc('ann', 'router', 100n, 'router'),
      usdc('router', 'pool', 100n),
      move('pool', 'thief', 99n * DOLLAR, { asset: USDT }),
    ];
    const report = await ask([{ time: T, by: 'operator', moves }], {
      labels: { pool: { name: 'Pool', kind: 'dex' } },
    });
    expect(told(report)).toEqual([['ann', 'approval 100']]);
    expect(report.victims[0]?.losses[0]?.asset.symbol).toBe('USDC');
  });

  test('of an address that only signs, what its allowances moved to others is found', async () => {
    const fee = move('operator', null, 10n, { kind: 'fee' });
    const steal = { time: T, by: 'operator', moves: [usdc('ann', 'vault', 90n, 'operator'), fee] };
    expect(told(await ask([steal], { address: 'operator' }))).toEqual([['ann', 'approval 90']]);
  });
});

describe('who is no victim', () => {
  const bought = (from: string): StoryStep => ({
    ...{ time: T + 5, by: from },
    moves: [usdc(from, 'thief', 100n), move('thief', from, 95n * DOLLAR, { asset: USDT })],
  });

  test.each([
    ['a service', [pays(1, 'desk', 'thief', 100n)], 'desk', 'service'],
    ['who got its worth at once', [bought('ann')], 'ann', 'exchanged'],
    [
      'a customer who was paid in another asset later',
      [
        pays(1, 'ann', 'thief', 100n),
        { time: T + 9, by: 'thief', moves: [move('thief', 'ann', 90n * DOLLAR, { asset: USDT })] },
      ],
      'ann',
      'was_paid',
    ],
    [
      'who returns what the address lent',
      [pays(1, 'thief', 'ann', 100n), pays(2, 'ann', 'thief', 100n)],
      'ann',
      'was_paid',
    ],
    [
      'a contract that pays by its own code',
      [{ time: T, by: 'thief', moves: [usdc('vault', 'thief', 9n)] }],
      'vault',
      'contract',
    ],
    [
      'who sends cents',
      [
        pays(1, 'ann', 'thief', 100_000n),
        { time: T + 2, by: 'bea', moves: [move('bea', 'thief', 20_000n, { asset: USDC })] },
      ],
      'bea',
      'dust',
    ],
    [
      'a payroll',
      [
        {
          time: T,
          by: 'boss',
          moves: ['thief', 'a', 'b', 'c', 'd', 'e'].map((to) => usdc('boss', to, 100n)),
        },
      ],
      'boss',
      'airdrop',
    ],
    [
      'who only the log of an unlisted token names',
      [{ time: T, by: 'forger', moves: [move('ann', 'thief', 5n, { asset: '0xf', authority: 'forger' })] }],
      'ann',
      'unproven_token',
    ],
    [
      'a wallet that the address itself began',
      [{ time: T, by: 'thief', moves: [move('thief', 'mule', 10n)] }, pays(9, 'mule', 'thief', 100n)],
      'mule',
      'own_wallet',
    ],
  ] as const)('%s', async (_, steps, address, reason) => {
    const report = await ask(steps, { labels: { desk: { name: 'Desk', kind: 'exchange' } } });
    expect(reasons(report)).toMatchObject({ [address]: reason });
    expect(report.victims.map((victim) => victim.address)).not.toContain(address);
  });

  test('whose loss was paid back is named as refunded, and a part of a loss is taken off', async () => {
    const report = await ask([
      ...[taken(1, 'ann', 'thief', 100n), pays(2, 'thief', 'ann', 95n)],
      ...[taken(3, 'bea', 'thief', 100n), pays(4, 'thief', 'bea', 40n)],
    ]);
    expect(told(report)).toEqual([['bea', 'approval 100']]);
    expect(report.victims[0]?.usd).toBe(60);
    expect(report.refunded.map(({ address }) => address)).toEqual(['ann']);
    expect(report.totals).toMatchObject({ victims: 1, usd: 60, refunded: 1, refundedUsd: 135 });
  });

  describe('paid in a token that the thief priced or made', () => {
    const JUNK = `0x${'9'.repeat(40)}`;
    const junk = move('thief', 'ann', 1_000n, { asset: JUNK });
    const selfPriced = {
      claims: new Map([[`ethereum:${JUNK}`, { symbol: 'JUNK', decimals: 0 }]]),
      quotes: [
        {
          ...{
            chain: 'ethereum',
            canonicalAsset: JUNK,
            source: 'market' as const,
            span: 'hour' as const,
            usd: 1,
          },
          ...{ beginUnixSeconds: T - 60, atUnixSeconds: T },
        },
      ],
    };
    const victims = async (steps: readonly StoryStep[]) =>
      (await ask(steps, selfPriced)).victims.map(({ address }) => address);
    const made = {
      time: T,
      by: 'thief',
      controls: [{ kind: 'contract_created' as const, subject: JUNK, holder: 'thief' }],
    };
    const sells: StoryStep = { time: T + 5, by: 'ann', moves: [usdc('ann', 'thief', 100n), junk] };

    test('at once: who signed for no trade is a victim', async () => {
      const steals = { time: T + 5, by: 'operator', moves: [usdc('ann', 'thief', 100n, 'operator'), junk] };
      expect(await victims([steals])).toEqual(['ann']);
    });

    test('later: no worth of an unlisted token pays for a loss', async () => {
      expect(
        await victims([taken(1, 'ann', 'thief', 100n), { time: T + 9, by: 'thief', moves: [junk] }]),
      ).toEqual(['ann']);
    });

    test('who signed for a token of another maker may have bought it; one that the subject made is no price', async () => {
      expect(await victims([sells])).toEqual([]);
      expect(await victims([made, sells])).toEqual(['ann']);
    });
  });

  test('who was drained twice and paid back once is a victim of what is left', async () => {
    const report = await ask([
      ...[taken(1, 'ann', 'thief', 100n), pays(2, 'thief', 'ann', 100n), taken(3, 'ann', 'thief', 70n)],
    ]);
    expect(report.victims[0]?.usd).toBe(70);
    expect(report.victims[0]?.losses.map(({ refundedRaw }) => refundedRaw / DOLLAR)).toEqual([100n, 0n]);
  });

  test('who had money before the thief paid its gas is a victim though the thief sent its first coin', async () => {
    const report = await ask([
      ...[pays(1, 'shop', 'ann', 100n), { time: T + 2, by: 'thief', moves: [move('thief', 'ann', 10n)] }],
      pays(3, 'ann', 'thief', 100n),
    ]);
    expect(told(report)).toEqual([['ann', 'transfer 100']]);
  });
});

describe('the answer', () => {
  const steps = [pays(1, 'ann', 'thief', 50n), taken(2, 'bea', 'thief', 70n), taken(9, 'cyd', 'thief', 10n)];

  test('is of the time that was asked for, and names as many as were asked for while the totals are of all', async () => {
    const report = await ask(steps, { toUnixSeconds: T + 5, limit: 1 });
    expect(told(report)).toEqual([['bea', 'approval 70']]);
    expect(report.totals).toMatchObject({ victims: 2, usd: 120 });
  });

  test('since when approvals are kept is told as a time that people read', async () => {
    const steps = [
      { time: T, moves: [usdc('ann', 'shop', 5n)] },
      { time: T + 60, moves: [usdc('ann', 'shop', 5n)] },
    ];
    const { gaps } = await ask(steps, { controlsKeptSince: T + 60 });
    expect(gaps).toContainEqual(expect.stringContaining('kept since 2023-11-14T22:14:20.000Z'));
    expect(gaps.join()).not.toContain(String(T + 60));
  });

  test('what lies behind the limits of grants and of takings by them is told as missing', async () => {
    const controls = Array.from({ length: GRANTS_MAX + 1 }, (_, index) => ({
      ...{ kind: 'approval' as const, subject: USDC, holder: `h${index}`, party: 'thief', amountRaw: 1n },
    }));
    const granted: StoryStep[] = [{ time: T, by: 'someone', controls }];
    const cases = createMemoryCaseReader([]);
    const takenFrom = async () => [
      Array.from({ length: TRANSACTIONS_MAX + 1 }, (_, index) => ({
        blockTime: T,
        blockNumber: index,
        txIndex: 0,
      })),
    ];
    const report = await ask(granted, { cases: { ...cases, takenFrom } });
    expect(report.scope).toBe('partial');
    expect(report.gaps.join()).toContain(`first ${TRANSACTIONS_MAX} transactions that took`);
    expect(report.gaps.join()).toContain(`first ${GRANTS_MAX} grants`);
    expect((await ask(granted.concat(steps), { address: 'operator' })).gaps).toEqual([]);
  });

  test('payments of the address behind the limit are told as missing', async () => {
    const cases = createMemoryCaseReader(tellStory('ethereum', steps));
    const one = { blockTime: T, blockNumber: 1, txIndex: 0, to: 'ann', canonicalAsset: USDC, amountRaw: 1n };
    const payments = async (_: object, to: readonly string[]) =>
      to.map(() => Array.from({ length: PAYMENTS_MAX }, () => one));
    const report = await ask(steps, { cases: { ...cases, payments } });
    expect(report.scope).toBe('partial');
    expect(report.gaps.join()).toContain(`first ${PAYMENTS_MAX} payments`);
  });

  test('of an address that nothing names is that nothing is known', async () => {
    expect(await ask(steps, { address: 'nobody' })).toMatchObject({ scope: 'no_data', victims: [] });
  });

  test('that time cut is partial, says how far it came, and holds what was found until then', async () => {
    const many = Array.from({ length: TRANSACTIONS_AT_ONCE + 1 }, (_, index) =>
      taken(index, `v${index}`, 'thief', 9n),
    );
    let nowUnixMs = 0;
    const cases = createMemoryCaseReader(tellStory('ethereum', many));
    const report = await ask(many, {
      clock: { nowUnixMs: () => nowUnixMs },
      cases: {
        ...cases,
        movementsAt: (...asked) => {
          nowUnixMs += TIME_BUDGET_MS - TELLING_RESERVE_MS;
          return cases.movementsAt(...asked);
        },
      },
    });
    expect(report).toMatchObject({ scope: 'partial', totals: { victims: TRANSACTIONS_AT_ONCE } });
    expect(report.gaps.join()).toContain('after 500 of 501 transactions');
  });
});
