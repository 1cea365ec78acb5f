import { describe, expect, test } from 'vitest';
import type { ControlPlan } from '../../testing/build-block.ts';
import { move, type StoryStep } from '../../testing/chain-story.ts';
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
import { OPEN_MAX } from './rules.ts';
import type { VictimsReport } from './victims-report.ts';

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
    const many = Array.from({ length: OPEN_MAX + 1 }, (_, index) =>
      allows(10 + index, `h${index}`, 2n ** 256n - 1n),
    );
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
    expect(report.gaps).toEqual([expect.stringContaining('if more was taken at other times')]);
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

  test('a permit that is handed in with the theft is used up by it', async () => {
    const both = (left: bigint): StoryStep => ({
      ...allows(2, 'ann', left * DOLLAR, { kind: 'permit', byHolder: false }),
      ...{ by: 'operator', moves: [usdc('ann', 'thief', 100n, 'operator')] },
    });
    expect(open(await ask([both(100n)]))).toEqual([]);
    expect(open(await ask([both(150n)]))).toEqual([['allowance', 'ann', 'operator', 50n * DOLLAR]]);
  });

  test('an unlisted token at a public market counts where its holder allowed that market', async () => {
    const market = '0x000000000022d473030f116ddee9f6b43ac78ba3';
    const moves = [move('ann', 'thief', 5n, { asset: UNLISTED, authority: market })];
    const order = { time: T + 2, by: 'operator', moves };
    const own = allows(1, 'ann', 2n ** 256n - 1n, { subject: UNLISTED, party: market });
    const [victim] = (await ask([own, order])).victims;
    expect(victim).toMatchObject({ address: 'ann', losses: [{ method: 'signed_order' }] });
    expect((await ask([order])).victims).toEqual([]);
  });

  test('a wallet that was handed to a program lost by authority what that took, and stays open to it', async () => {
    // A point of the curve: whoever has the key could have signed.
    const ann = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const handed: StoryStep = {
      ...{ time: T + 1, by: ann },
      controls: [{ kind: 'owner_assigned', subject: ann, holder: ann, party: 'program' }],
    };
    const collected = { time: T + 2, by: 'operator', moves: [move(ann, 'thief', 2_000_000_000n)] };
    const methods = ({ victims }: VictimsReport) => victims.map(({ losses }) => losses[0]?.method);
    const report = await ask([handed, collected], { chain: 'solana' });
    expect(methods(report)).toEqual(['authority']);
    expect(open(report)).toEqual([['authority', ann, 'program', null]]);
    expect(methods(await ask([collected], { chain: 'solana' }))).toEqual(['transfer']);
  });

  test('an authority to close an account ends with the account', async () => {
    const MINT = 'So11111111111111111111111111111111111111112';
    const allowed = (at: number): StoryStep => ({
      ...{ time: T + at, by: 'ann' },
      controls: [
        {
          ...{ kind: 'authority_changed', subject: 'ann account', holder: 'ann', party: 'thief' },
          ...{ asset: MINT, detail: 'close' },
        },
      ],
    });
    const closed = {
      time: T + 2,
      by: 'thief',
      moves: [move('ann', 'thief', 10n ** 9n, { authority: 'thief' })],
    };
    expect(open(await ask([allowed(1)], { chain: 'solana' }))).toHaveLength(1);
    expect(open(await ask([allowed(1), closed], { chain: 'solana' }))).toEqual([]);
    // The chain tells who closed it with that transaction.
    const toldAgain = { ...allowed(2), ...closed };
    expect(open(await ask([allowed(1), toldAgain], { chain: 'solana' }))).toEqual([]);
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
