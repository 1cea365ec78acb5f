import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import {
  ask,
  buys,
  create,
  DOLLAR,
  funds,
  kindsOf,
  later,
  SUPPLY,
  sells,
  T,
  token,
  USDC,
} from '../../testing/insiders-story.ts';
import { GIFTS_MAX, KIND_CONFIDENCE, UNSURE_FUNDER } from './rules.ts';

describe('creator and launch', () => {
  test('a launchpad is launched by its create, with the creator and who funded it', async () => {
    const report = await ask([funds(9, 'hub', 'creator'), create, buys(5, 'ann'), later]);
    expect(report.launch).toMatchObject({ signature: 'create', venue: 'curve', venueKind: 'launchpad' });
    expect(report.creator).toMatchObject({ address: 'creator', funder: 'hub' });
    expect(report).toMatchObject({ supplyRaw: SUPPLY, scope: 'full' });
  });

  test('a pool is launched by its first liquidity, days after the token was made', async () => {
    const made = {
      time: T - 90_000,
      by: 'creator',
      moves: [move(null, 'creator', SUPPLY, { ...token, kind: 'mint' as const })],
    };
    const filled: StoryStep = {
      ...{ time: T, hash: 'filled', by: 'creator' },
      moves: [move('creator', 'curve', 900n, token), move('creator', 'curve', 5n * DOLLAR, { asset: USDC })],
    };
    const report = await ask([made, filled, buys(20, 'ann'), later]);
    expect(report.launch).toMatchObject({ signature: 'filled', venue: 'curve', venueKind: 'pool' });
    expect(report.totals.earlyBuyers).toBe(1);
  });

  test('who made the mint is the creator, though somebody else sent the first transaction that moved it', async () => {
    const made: StoryStep = {
      ...{ time: T - 60, hash: 'made', by: 'deployer' },
      controls: [{ kind: 'mint_created', subject: 'token', holder: 'deployer' }],
    };
    const report = await ask([made, create, buys(40, 'ann'), later]);
    expect(report.creator?.address).toBe('deployer');
    expect(report.launch).toMatchObject({ signature: 'create' });
  });

  test('of a token that may be older than the indexed blocks nothing is said, also where it was issued once more', async () => {
    for (const steps of [
      [buys(5, 'ann'), buys(9, 'bea'), later],
      [create, buys(5, 'ann'), later],
    ]) {
      const found = await ask(steps, { indexedSince: T });
      expect(found).toMatchObject({
        scope: 'no_data',
        creator: null,
        launch: null,
        insiders: [],
        groups: [],
      });
      expect(found).toMatchObject({
        supplyRaw: null,
        holders: null,
        gaps: [expect.stringContaining('not all')],
      });
      expect(found.totals).toMatchObject({ shareHeld: null, earlyBuyers: null });
      expect(found.whyNone).toContain('not known');
    }
  });

  const made: StoryStep = {
    ...{ time: T - 60, hash: 'made', by: 'deployer' },
    controls: [{ kind: 'contract_created', subject: 'token', holder: 'deployer' }],
  };

  test('with a gap after its creation a token has a creator, and nothing else is known', async () => {
    const found = await ask([funds(9, 'hub', 'deployer'), made, create, buys(5, 'ann'), later], {
      indexedSince: T - 59,
    });
    expect(found).toMatchObject({ scope: 'partial', launch: null, insiders: [], supplyRaw: null });
    expect(found.creator).toMatchObject({ address: 'deployer', funder: null });
    expect(found.whyNone).toContain('created in made');
  });

  test('all blocks since its creation are enough, but who was first to pay a wallet is then not known', async () => {
    const steps = [
      ...[funds(9, 'hub', 'deployer'), made, create, funds(3, 'aunt', 'bea'), funds(2, 'aunt', 'cyd')],
      ...[funds(4, 'deployer', 'ann'), buys(45, 'ann'), buys(46, 'bea'), buys(47, 'cyd'), later],
    ];
    const known = await ask(steps, { indexedSince: T - 60, missingSince: T - 60 });
    expect(known.creator).toMatchObject({ funder: 'hub' });
    expect(known.insiders.flatMap(({ links }) => links.map(({ detail }) => detail))).toContain(
      'The creator sent it its first coin.',
    );
    expect(known.gaps).toEqual([]);
    // Blocks before the creator's first coin are missing.
    const less = await ask(steps, { indexedSince: T - 60, missingSince: T - 5 * 3_600 });
    expect(less.creator).toMatchObject({ funder: 'hub' });
    expect(less.gaps.join()).toContain('first coin is not known');
    const found = await ask(steps, { indexedSince: T - 60 });
    expect(found).toMatchObject({ scope: 'partial', supplyRaw: SUPPLY, launch: { signature: 'create' } });
    expect(found.creator).toMatchObject({ address: 'deployer', funder: null });
    expect(kindsOf(found).ann).toContain('creator_funded');
    const told = found.insiders.flatMap(({ links }) => links.map(({ detail }) => detail)).join();
    expect(told).toContain('the first of its coin that is indexed');
    expect(told).not.toContain('its first coin');
    const sure = Object.fromEntries(found.insiders.map(({ address, confidence }) => [address, confidence]));
    const heldToo = (confidence: number) => 1 - (1 - confidence) * (1 - KIND_CONFIDENCE.top_holder);
    expect(sure.bea).toBeCloseTo(heldToo(KIND_CONFIDENCE.shared_funder * UNSURE_FUNDER));
    const whole = await ask(steps);
    expect(whole).toMatchObject({ scope: 'full', creator: { funder: 'hub' } });
    expect(whole.insiders.length).toBe(found.insiders.length);
  });

  test('of a token that no block names nothing is known', async () => {
    expect(await ask([funds(1, 'hub', 'ann')])).toMatchObject({
      scope: 'no_data',
      insiders: [],
      creator: null,
    });
  });
});

describe('ties', () => {
  test.each([
    ['creator_funded', 'ann', [funds(2, 'creator', 'ann'), buys(50, 'ann')]],
    ['funded_creator', 'hub', [funds(9, 'hub', 'creator')]],
    ['shared_funder', 'ann', [funds(3, 'hub', 'ann'), funds(9, 'hub', 'creator'), buys(50, 'ann')]],
    [
      'shared_funder',
      'bea',
      [funds(3, 'aunt', 'ann'), funds(2, 'aunt', 'bea'), buys(40, 'ann'), buys(50, 'bea')],
    ],
    ['sniper', 'ann', [buys(1, 'ann')]],
    ['bundle', 'bea', [buys(50, 'ann', 10n, 'bot'), buys(50, 'bea', 9n, 'bot')]],
    [
      'launch_recipient',
      'ann',
      [
        {
          time: T + 9,
          by: 'creator',
          moves: [buys(9, 'creator').moves?.[1] ?? [], move('creator', 'ann', 5n, token)].flat(),
        },
      ],
    ],
  ] as const)('%s', async (kind, wallet, steps) => {
    const report = await ask([create, ...steps, later]);
    expect(kindsOf(report)[wallet]).toContain(kind);
    const link = report.insiders
      .find(({ address }) => address === wallet)
      ?.links.find((each) => each.kind === kind);
    expect(link?.signatures).not.toEqual([]);
  });

  test('several buyers of one transaction are a bundle', async () => {
    const [one, two] = [buys(50, 'ann'), buys(50, 'bea')];
    const both = { time: T + 50, by: 'bot', moves: [...(one.moves ?? []), ...(two.moves ?? [])] };
    const report = await ask([create, both, later]);
    expect(kindsOf(report)).toMatchObject({ ann: ['bundle'], bea: ['bundle'] });
  });

  test('wallets for which one hand buys in one transaction are a bundle, what a tax collects beside it is not', async () => {
    const both: StoryStep = {
      ...{ time: T + 50, by: 'creator' },
      moves: [
        ...[move('creator', 'router', 9n * 10n ** 18n), move('router', 'curve', 9n * 10n ** 18n)],
        ...[
          move('curve', 'ann', 90n, token),
          move('curve', 'bea', 60n, token),
          move('curve', 'tax', 9n, token),
        ],
      ],
    };
    const report = await ask([create, both, later]);
    expect(kindsOf(report)).toEqual({ creator: ['creator'], ann: ['bundle'], bea: ['bundle'] });
  });

  test('what a wallet gives away in the transaction of its buy makes nobody a buyer', async () => {
    const [paid = [], got = []] = [buys(50, 'ann').moves?.slice(0, 1), buys(50, 'ann').moves?.slice(1)];
    const gift = { time: T + 50, by: 'ann', moves: [...paid, ...got, move('ann', 'bea', 5n, token)] };
    expect(kindsOf(await ask([create, gift, later]))).toEqual({ creator: ['creator'] });
  });

  test('buyers of one block are a bundle where somebody else tips for each, and no service', async () => {
    // Points of the curve: only a key can tip.
    const tipper = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const tipped = (who: string): StoryStep => {
      const own = buys(50, who);
      return { ...own, moves: [...(own.moves ?? []), move(tipper, 'tips', 1n)] };
    };
    const steps = [create, tipped('ann'), tipped('bea'), later];
    expect(kindsOf(await ask(steps))).toMatchObject({ ann: ['bundle'], bea: ['bundle'] });
    const labels = { [tipper]: { name: 'Desk', kind: 'exchange' } } as const;
    expect(kindsOf(await ask(steps, { labels }))).toEqual({ creator: ['creator'] });
  });

  test('whoever only bought early, holds much or bought after the window is no insider', async () => {
    const report = await ask([create, buys(40, 'ann'), buys(41, 'bea', 300n), buys(61, 'cyd'), later]);
    expect(kindsOf(report)).toEqual({ creator: ['creator'] });
    expect(report.whyNone).toContain('2 wallets bought within 60 seconds');
  });

  test('an airdrop at the launch ties nobody by itself, and is told', async () => {
    const drop = (count: number): StoryStep => ({
      ...{ time: T + 9, by: 'creator' },
      moves: Array.from({ length: count }, (_, index) => move('creator', `w${index}`, 1n, token)),
    });
    const stock: StoryStep = { time: T, by: 'creator', moves: [move(null, 'creator', SUPPLY, token)] };
    const few = await ask([stock, create, drop(GIFTS_MAX), later]);
    expect(few.insiders).toHaveLength(GIFTS_MAX + 1);
    expect(few.airdrop).toBeNull();
    const many = await ask([stock, create, drop(GIFTS_MAX + 1), later]);
    expect(many.insiders.map(({ address }) => address)).toEqual(['creator']);
    expect(many.airdrop).toContain(`${GIFTS_MAX + 1} in all`);
    expect(many.whyNone).toContain('such an airdrop alone ties nobody');
  });

  test('an exchange and whoever funds many tie nobody to anybody', async () => {
    const many = Array.from({ length: 20 }, (_, index) => funds(30, 'faucet', `stranger ${index}`));
    const report = await ask(
      [
        ...[
          ...many,
          funds(9, 'faucet', 'ann'),
          funds(8, 'faucet', 'bea'),
          funds(7, 'desk', 'cyd'),
          funds(7, 'desk', 'dot'),
        ],
        ...[create, ...['ann', 'bea', 'cyd', 'dot'].map((who, index) => buys(40 + index, who)), later],
      ],
      { labels: { desk: { name: 'Desk', kind: 'exchange' } } },
    );
    expect(kindsOf(report)).toEqual({ creator: ['creator'] });
  });

  test("what a sale of the token paid is nobody's first coin, and ties no sniper to another", async () => {
    const gains = (who: string): StoryStep => ({
      ...{ time: T + 30, by: who },
      moves: [move(who, 'curve', 5n, token), move('curve', who, 10n ** 18n)],
    });
    const report = await ask([
      ...[create, buys(0, 'ann'), buys(0, 'bea'), gains('ann'), gains('bea'), later],
    ]);
    expect(kindsOf(report)).toEqual({ ann: ['sniper'], bea: ['sniper'], creator: ['creator'] });
    expect(report.groups).toEqual([]);
  });

  test('a sniper is told by how many blocks after the launch it bought', async () => {
    const { insiders } = await ask([create, buys(0, 'ann'), buys(1, 'bea'), later]);
    const told = insiders.flatMap(({ links }) => links.filter(({ kind }) => kind === 'sniper'));
    expect(told.map(({ detail }) => detail)).toEqual([
      'It bought in the block of the launch.',
      'It bought 1 block after the launch.',
    ]);
  });

  test('two who hold much, or were funded weeks apart, are not tied by a friend that they have in common', async () => {
    const holders = [funds(9, 'aunt', 'ann'), funds(8, 'aunt', 'bea'), buys(70, 'ann'), buys(71, 'bea')];
    expect(kindsOf(await ask([create, ...holders, buys(20, 'cyd'), later]))).toEqual({
      creator: ['creator'],
    });
    const apart = [funds(900, 'aunt', 'ann'), funds(8, 'aunt', 'bea'), buys(40, 'ann'), buys(41, 'bea')];
    expect(kindsOf(await ask([create, ...apart, later]))).toEqual({ creator: ['creator'] });
  });

  test('pools, services and burnt tokens are nobody, however much they hold', async () => {
    const burnt = {
      time: T + 3,
      by: 'creator',
      moves: [
        move(null, '0x000000000000000000000000000000000000dead', 50n, { ...token, kind: 'mint' as const }),
        move(null, '0xdead000000000000000042069420694206942069', 50n, { ...token, kind: 'mint' as const }),
      ],
    };
    const report = await ask([create, burnt, buys(1, 'bot'), later], {
      labels: { bot: { name: 'Router', kind: 'dex' } },
    });
    expect(kindsOf(report)).toEqual({ creator: ['creator'] });
  });
});

test('what insiders bought, hold and made is told by shares of the supply and in dollars', async () => {
  const report = await ask([
    ...[funds(9, 'hub', 'ann'), funds(8, 'hub', 'bea'), create],
    ...[buys(10, 'ann', 100n), buys(11, 'bea', 50n), sells(5_000, 'ann', 60n, 900n), later],
  ]);
  const ann = report.insiders.find(({ address }) => address === 'ann');
  expect(ann).toMatchObject({
    shareBought: 0.1,
    shareHeld: 0.04,
    boughtUsd: 100,
    soldUsd: 900,
    profitUsd: 800,
  });
  expect(ann?.kinds).toContain('top_holder');
  expect(report.groups).toMatchObject([{ funder: 'hub', shareHeld: 0.09 }]);
  expect(new Set(report.groups[0]?.members)).toEqual(new Set(['ann', 'bea']));
  expect(report.totals).toMatchObject({ boughtUsd: 150, soldUsd: 900, profitUsd: 750 });
});
