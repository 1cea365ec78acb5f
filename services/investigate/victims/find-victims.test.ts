import { describe, expect, test } from 'vitest';
import type { ControlPlan } from '../../testing/build-block.ts';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import { createMemoryControlReader } from '../../testing/memory/memory-control-reader.ts';
import { createMemoryFunderReader } from '../../testing/memory/memory-funder-reader.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryTokenReader } from '../../testing/memory/memory-token-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import type { CaseReader } from '../model/case-reader.ts';
import { findChain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import { findVictims } from './find-victims.ts';
import {
  GRANTS_MAX,
  OPEN_MAX,
  PAYMENTS_MAX,
  TELLING_RESERVE_MS,
  TIME_BUDGET_MS,
  TRANSACTIONS_AT_ONCE,
  TRANSACTIONS_MAX,
} from './rules.ts';
import type { VictimsReport, VictimsRequest } from './victims-report.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const DOLLAR = 1_000_000n;
const T = 1_700_000_000;

type Setting = Partial<Omit<VictimsRequest, 'chain'>> & {
  readonly chain?: string;
  readonly labels?: Readonly<Record<string, Label>>;
  readonly imitated?: Readonly<Record<string, string>>;
  readonly cases?: CaseReader;
  readonly quotes?: Parameters<typeof createMemoryPriceReader>[0];
  readonly claims?: Parameters<typeof createMemoryAssetReader>[0];
  readonly clock?: { readonly nowUnixMs: () => number };
};

const ask = (steps: readonly StoryStep[], setting: Setting = {}): Promise<VictimsReport> => {
  const { chain: name = 'ethereum', labels = {}, imitated = {}, ...rest } = setting;
  const chain = findChain(name);
  if (chain === null) throw new Error(name);
  const blocks = tellStory(name, steps);
  const request = { address: 'thief', fromUnixSeconds: 0, toUnixSeconds: 2 * T, limit: 100, ...rest, chain };
  return findVictims(request, {
    cases: setting.cases ?? createMemoryCaseReader(blocks, { imitated: new Map(Object.entries(imitated)) }),
    funders: createMemoryFunderReader(blocks),
    reader: createMemoryReader(blocks, { labels: new Map(Object.entries(labels)) }),
    controls: createMemoryControlReader(blocks),
    tokens: createMemoryTokenReader(blocks),
    prices: createMemoryPriceReader(setting.quotes),
    assets: createMemoryAssetReader(setting.claims),
    clock: setting.clock ?? { nowUnixMs: () => 0 },
    signal: new AbortController().signal,
  });
};

const usdc = (from: string, to: string, dollars: bigint, authority: string | null = null) =>
  move(from, to, dollars * DOLLAR, { asset: USDC, authority });
const pays = (at: number, from: string, to: string, dollars: bigint): StoryStep => ({
  ...{ time: T + at, by: from, moves: [usdc(from, to, dollars)] },
});
const taken = (at: number, from: string, to: string, dollars: bigint): StoryStep => ({
  ...{ time: T + at, by: 'operator', moves: [usdc(from, to, dollars, 'operator')] },
});

const told = ({ victims }: VictimsReport) =>
  victims.map(({ address, losses }) => [
    address,
    ...losses.map(({ method, amountRaw }) => `${method} ${amountRaw / DOLLAR}`),
  ]);
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
          ...{ chain: 'ethereum', family: JUNK, source: 'market' as const, span: 'hour' as const, usd: 1 },
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

describe('what victims allowed', () => {
  const UNLISTED = `0x${'7'.repeat(40)}`;
  const allows = (
    at: number,
    holder: string,
    amountRaw: bigint,
    more: Partial<ControlPlan> = {},
  ): StoryStep => ({
    ...{ time: T + at, by: holder },
    controls: [{ kind: 'approval', subject: USDC, holder, party: 'operator', amountRaw, ...more }],
  });
  const open = ({ revocable }: VictimsReport) =>
    revocable.map(({ kind, holder, hand, amountRaw }) => [kind, holder, hand, amountRaw]);

  test('what is left of an allowance stays open to the hand that used it, with what its holder has now', async () => {
    const report = await ask([
      pays(0, 'shop', 'ann', 500n),
      allows(1, 'ann', 200n * DOLLAR),
      taken(2, 'ann', 'thief', 150n),
    ]);
    expect(open(report)).toEqual([['allowance', 'ann', 'operator', 50n * DOLLAR]]);
    expect(report.revocable[0]).toMatchObject({ heldRaw: 350n * DOLLAR, canRevoke: true });
  });

  test.each([
    ['used up', [allows(1, 'ann', 100n * DOLLAR), taken(2, 'ann', 'thief', 100n)]],
    [
      'used up, a part of it by a trade',
      [
        allows(1, 'ann', 150n * DOLLAR),
        taken(3, 'ann', 'thief', 50n),
        {
          ...{ time: T + 2, by: 'operator' },
          moves: [
            usdc('ann', 'thief', 100n, 'operator'),
            move('thief', 'ann', 95n * DOLLAR, { asset: USDT }),
          ],
        },
      ],
    ],
    [
      'set to nothing',
      [allows(1, 'ann', 2n ** 256n - 1n), taken(2, 'ann', 'thief', 100n), allows(3, 'ann', 0n)],
    ],
    [
      'over',
      [
        allows(1, 'ann', 100n * DOLLAR, { detail: `until:${T + 5}` }),
        taken(2, 'ann', 'thief', 10n),
        pays(9, 'x', 'y', 1n),
      ],
    ],
  ])('an allowance that is %s is not open', async (_, steps) => {
    expect(open(await ask(steps))).toEqual([]);
  });

  test('of more open grants than are shown, those that can be taken now come first, and the cut is told', async () => {
    const many = Array.from({ length: OPEN_MAX + 1 }, (_, at) => allows(10 + at, `h${at}`, 2n ** 256n - 1n));
    const first = [pays(0, 'shop', 'rich', 500n), allows(1, 'rich', 2n ** 256n - 1n), ...many];
    const report = await ask(first, { address: 'operator' });
    expect(report.revocable[0]).toMatchObject({ holder: 'rich', heldRaw: 500n * DOLLAR });
    expect(report.revocable).toHaveLength(OPEN_MAX);
    expect(report.gaps.join()).toContain(`Only ${OPEN_MAX} of ${OPEN_MAX + 2} open grants`);
    expect(report.scope).toBe('partial');
  });

  test.each([
    ['before', { fromUnixSeconds: T + 3 }],
    ['after', { toUnixSeconds: T + 3 }],
  ])('what may have been taken of an allowance %s the time asked about is told', async (_, time) => {
    const steps = [
      ...[allows(1, 'ann', 200n * DOLLAR), taken(2, 'ann', 'thief', 150n), taken(5, 'ann', 'thief', 10n)],
    ];
    expect((await ask(steps)).gaps).toEqual([]);
    const report = await ask(steps, time);
    expect(report.gaps).toEqual([expect.stringContaining('where more was taken at other times')]);
    expect(report.scope).toBe('partial');
  });

  test('a grant that was withdrawn after the time asked about is not open', async () => {
    const steps = [allows(1, 'ann', 2n ** 256n - 1n), taken(2, 'ann', 'thief', 100n)];
    expect(open(await ask(steps, { toUnixSeconds: T + 5 }))).toHaveLength(1);
    expect(open(await ask([...steps, allows(9, 'ann', 0n)], { toUnixSeconds: T + 5 }))).toEqual([]);
  });

  test('a wallet that allowed and lost nothing yet is told as well', async () => {
    const report = await ask([
      allows(1, 'ann', 2n ** 256n - 1n),
      taken(2, 'ann', 'thief', 100n),
      allows(3, 'bea', 2n ** 256n - 1n),
    ]);
    expect(open(report)).toContainEqual(['allowance', 'bea', 'operator', null]);
  });

  test('a loss by a signature is a permit, and one by an order at a public market is a signed order', async () => {
    const permit = allows(1, 'ann', 100n * DOLLAR, { kind: 'permit', byHolder: false });
    const market = '0x1e0049783f008a0085193e00003d00cd54003c71';
    const order = { time: T + 3, by: 'thief', moves: [usdc('bea', 'thief', 60n, market)] };
    expect(told(await ask([permit, taken(2, 'ann', 'thief', 100n), order]))).toEqual([
      ['ann', 'permit 100'],
      ['bea', 'signed_order 60'],
    ]);
  });

  test('an unlisted token counts where its holder himself allowed the spender, and not by a log about him', async () => {
    const steals = {
      time: T + 2,
      by: 'operator',
      moves: [move('ann', 'thief', 5n, { asset: UNLISTED, authority: 'operator' })],
    };
    const own = allows(1, 'ann', 5n, { subject: UNLISTED });
    expect((await ask([own, steals])).victims.map(({ address }) => address)).toEqual(['ann']);
    const forged = allows(1, 'ann', 5n, { subject: UNLISTED, byHolder: false });
    expect((await ask([forged, steals])).victims).toEqual([]);
  });

  test('of a spender that neither gets nor sends anything, what it took of those who allowed it is found', async () => {
    const report = await ask([allows(1, 'ann', 100n * DOLLAR), taken(2, 'ann', 'vault', 90n)], {
      address: 'operator',
    });
    expect(told(report)).toEqual([['ann', 'approval 90']]);
    expect(report.victims[0]?.losses[0]?.toSubjectRaw).toBe(0n);
  });

  test('on Solana a delegate stays open until another word on the account, and an authority cannot be taken back', async () => {
    const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const says = (
      at: number,
      holder: string,
      event: Partial<ControlPlan> & Pick<ControlPlan, 'kind'>,
    ): StoryStep => ({
      ...{ time: T + at, by: holder },
      controls: [{ subject: `${holder} account`, holder, asset: MINT, party: 'thief', ...event }],
    });
    const report = await ask(
      [
        says(1, 'ann', { kind: 'approval', amountRaw: 9n }),
        ...[
          says(1, 'bea', { kind: 'approval', amountRaw: 9n }),
          says(2, 'bea', { kind: 'approval', party: null }),
        ],
        says(3, 'cyd', { kind: 'authority_changed', detail: 'owner' }),
        says(4, 'dot', { kind: 'owner_assigned', asset: null, subject: 'dot' }),
      ],
      { chain: 'solana' },
    );
    expect(new Set(open(report))).toEqual(
      new Set([
        ['delegate', 'ann', 'thief', 9n],
        ['authority', 'cyd', 'thief', null],
        ['authority', 'dot', 'thief', null],
      ]),
    );
    expect(report.revocable.find(({ holder }) => holder === 'cyd')?.canRevoke).toBe(false);
  });
});

describe('the answer', () => {
  const steps = [pays(1, 'ann', 'thief', 50n), taken(2, 'bea', 'thief', 70n), taken(9, 'cyd', 'thief', 10n)];

  test('is of the time that was asked for, and names as many as were asked for while the totals are of all', async () => {
    const report = await ask(steps, { toUnixSeconds: T + 5, limit: 1 });
    expect(told(report)).toEqual([['bea', 'approval 70']]);
    expect(report.totals).toMatchObject({ victims: 2, usd: 120 });
  });

  test('what lies behind the limits of grants and of takings by them is told as missing', async () => {
    const controls = Array.from({ length: GRANTS_MAX + 1 }, (_, at) => ({
      ...{ kind: 'approval' as const, subject: USDC, holder: `h${at}`, party: 'thief', amountRaw: 1n },
    }));
    const granted: StoryStep[] = [{ time: T, by: 'someone', controls }];
    const cases = createMemoryCaseReader([]);
    const takenFrom = async () =>
      Array.from({ length: TRANSACTIONS_MAX + 1 }, (_, at) => ({
        blockTime: T,
        blockNumber: at,
        txIndex: 0,
      }));
    const report = await ask(granted, { cases: { ...cases, takenFrom } });
    expect(report.scope).toBe('partial');
    expect(report.gaps.join()).toContain(`first ${TRANSACTIONS_MAX} transactions that took`);
    expect(report.gaps.join()).toContain(`first ${GRANTS_MAX} grants`);
    expect((await ask(granted.concat(steps), { address: 'operator' })).gaps).toEqual([]);
  });

  test('payments of the address behind the limit are told as missing', async () => {
    const cases = createMemoryCaseReader(tellStory('ethereum', steps));
    const one = { blockTime: T, blockNumber: 1, txIndex: 0, to: 'ann', family: USDC, amountRaw: 1n };
    const payments = async () => Array.from({ length: PAYMENTS_MAX }, () => one);
    const report = await ask(steps, { cases: { ...cases, payments } });
    expect(report.scope).toBe('partial');
    expect(report.gaps.join()).toContain(`first ${PAYMENTS_MAX} payments`);
  });

  test('of an address that nothing names is that nothing is known', async () => {
    expect(await ask(steps, { address: 'nobody' })).toMatchObject({ scope: 'no_data', victims: [] });
  });

  test('that time cut is partial, says how far it came, and holds what was found until then', async () => {
    const many = Array.from({ length: TRANSACTIONS_AT_ONCE + 1 }, (_, at) =>
      taken(at, `v${at}`, 'thief', 9n),
    );
    let nowUnixMs = 0;
    const cases = createMemoryCaseReader(tellStory('ethereum', many));
    const report = await ask(many, {
      clock: { nowUnixMs: () => nowUnixMs },
      cases: {
        ...cases,
        movementsAt: (request) => {
          nowUnixMs += TIME_BUDGET_MS - TELLING_RESERVE_MS;
          return cases.movementsAt(request);
        },
      },
    });
    expect(report).toMatchObject({ scope: 'partial', totals: { victims: TRANSACTIONS_AT_ONCE } });
    expect(report.gaps.join()).toContain('after 500 of 501 transactions');
  });
});
