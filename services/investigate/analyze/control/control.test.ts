import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { ETHER, profileOf, USDC } from '../../../testing/profile-story.ts';
import type { ControlEvent } from '../../model/control-event.ts';

const T = 1_700_000_000;
const TOKEN = `0x${'4'.repeat(40)}`;

const event = (told: Pick<ControlEvent, 'kind' | 'subject'> & Partial<ControlEvent>) => ({
  ...{ holder: null, party: null, asset: null, amountRaw: 0n, detail: null, emitter: null, byHolder: true },
  ...told,
});
const step = (at: number, ...controls: ReturnType<typeof event>[]): StoryStep => ({
  ...{ time: T + at, hash: `tx-${at}`, by: 'maker', controls },
});
const held: StoryStep = { time: T - 10, moves: [move('desk', 'ann', ETHER)] };

const frozen = (at: number, kind: 'frozen' | 'thawed', subject = USDC) =>
  step(at, event({ kind, subject, holder: 'ann', party: 'issuer' }));

test('a wallet whose issuer froze its dollars is told so, since when and by which transaction, and it is a reason', async () => {
  const profile = await profileOf('ann', [held, frozen(1, 'frozen')]);
  expect(profile.frozen).toMatchObject([{ asset: USDC, signature: 'tx-1', time: T + 1, by: 'issuer' }]);
  expect(profile.risk).toMatchObject({ level: 'critical', reasons: [{ code: 'frozen_by_issuer' }] });
});

test('what was released is not frozen, and looking and finding nothing is not the same as not knowing', async () => {
  const released = await profileOf('ann', [held, frozen(1, 'frozen'), frozen(2, 'thawed')]);
  expect([released.frozen, released.risk.level]).toEqual([[], 'none']);
  const unkept = await profileOf('ann', [held], { keepsControl: false });
  expect(unkept.frozen).toBeNull();
  expect(unkept.meta).toMatchObject({ scope: 'partial', detail: expect.stringContaining('Freezes') });
});

test('that nothing is frozen is said only where freezes are kept since the wallet was first seen', async () => {
  const late = await profileOf('ann', [held], { controlSince: T });
  expect(late.frozen).toBeNull();
  expect(late.meta).toMatchObject({ scope: 'partial', detail: expect.stringContaining('Freezes') });
  const found = await profileOf('ann', [held, frozen(1, 'frozen')], { controlSince: T });
  expect(found.frozen).toMatchObject([{ asset: USDC }]);
  const covered = await profileOf('ann', [held], { controlSince: T - 10 });
  expect(covered.frozen).toEqual([]);
});

test('a token of anybody that says it froze a wallet is no reason', async () => {
  const profile = await profileOf('ann', [held, frozen(1, 'frozen', TOKEN)]);
  expect([profile.frozen, profile.risk.level]).toEqual([[], 'none']);
});

const minted = step(
  1,
  event({ kind: 'mint_created', subject: TOKEN, holder: 'maker' }),
  event({ kind: 'authority_changed', subject: TOKEN, party: 'maker', detail: 'mint' }),
);
const issued: StoryStep = {
  ...{ time: T + 2, by: 'maker' },
  moves: [
    move(null, 'maker', 60n, { asset: TOKEN, kind: 'mint' }),
    move(null, 'pool', 40n, { asset: TOKEN, kind: 'mint' }),
  ],
};
const funded: StoryStep = { time: T - 5, moves: [move('boss', 'maker', ETHER)] };

test('a token tells who made it and funded him, how much there is and who holds it', async () => {
  const { token, identity, meta } = await profileOf(TOKEN, [funded, minted, issued], {
    labels: { pool: { name: 'Pool', kind: 'dex' } },
  });
  expect(identity.type).toBe('token');
  expect(meta.scope).toBe('partial');
  expect(token).toMatchObject({
    creator: { address: 'maker', signature: 'tx-1' },
    creatorFunding: { steps: [{ funder: 'boss' }] },
    launch: { signature: 'tx-1', time: T + 1 },
    supplyRaw: 100n,
    mintAuthority: { status: 'held', address: 'maker' },
    freezeAuthority: { status: 'none', address: null },
    holders: 2,
    top: [
      { address: 'maker', amountRaw: 60n, share: 0.6, label: null },
      { address: 'pool', share: 0.4, label: { kind: 'dex' } },
    ],
  });
  expect(token?.redFlags.map(({ code }) => code)).toEqual(['mint_authority', 'one_holder']);
});

test('whose creation is not kept was made by who sent the first transaction with it, which is an inference', async () => {
  const claims = { [TOKEN]: { symbol: 'T', decimals: 0 } };
  const { token } = await profileOf(TOKEN, [funded, issued], { claims });
  expect(token).toMatchObject({
    ...{ creator: { address: 'maker', isInferred: true, time: T + 2 }, supplyRaw: 100n },
    creatorFunding: { steps: [{ funder: 'boss' }] },
  });
  const passed: StoryStep = { time: T + 3, moves: [move('ann', 'bob', 5n, { asset: TOKEN })] };
  for (const steps of [[passed], [funded, issued]]) {
    const older = await profileOf(TOKEN, steps, { claims, indexedSince: T });
    const unknown = { creator: null, launch: null, supplyRaw: null, holders: null, top: [], redFlags: [] };
    expect(older.token).toMatchObject(unknown);
  }
  // Blocks are missing after it.
  const before = await profileOf(TOKEN, [funded, issued, { ...passed, time: T + 90 }], {
    ...{ claims, indexedSince: T + 90, missingSince: T + 3 },
  });
  expect(before.token).toMatchObject({
    ...{ creator: { address: 'maker', isInferred: true }, launch: { time: T + 2 } },
    ...{ creatorFunding: { seenIn: null, steps: [{ funder: 'boss' }] }, supplyRaw: null, holders: null },
  });
  const born = await profileOf(TOKEN, [funded, minted, issued], { indexedSince: T + 1 });
  expect(born.token).toMatchObject({ creator: { address: 'maker' }, supplyRaw: 100n, creatorFunding: null });
});

test('a mint authority that was handed on, and one that was given up, are told apart', async () => {
  const handed = step(
    5,
    event({ kind: 'authority_changed', subject: TOKEN, holder: 'maker', party: 'crook', detail: 'mint' }),
  );
  const given = step(
    6,
    event({ kind: 'authority_changed', subject: TOKEN, holder: 'crook', detail: 'mint' }),
  );
  const [open, closed] = await Promise.all(
    [
      [minted, issued, handed],
      [minted, issued, handed, given],
    ].map((steps) => profileOf(TOKEN, steps)),
  );
  expect(open?.token?.mintAuthority).toMatchObject({
    status: 'held',
    address: 'crook',
    since: { signature: 'tx-5' },
  });
  expect(open?.token?.redFlags.map(({ code }) => code)).toContain('mint_authority_handed_on');
  expect(closed?.token?.mintAuthority).toMatchObject({ status: 'given_up', since: { signature: 'tx-6' } });
  expect(closed?.token?.changes.map(({ from, to }) => [from, to])).toEqual([
    [null, 'maker'],
    ['maker', 'crook'],
    ['crook', null],
  ]);
});

test('of a token whose making is not kept, no authority is said to be nobody’s', async () => {
  const { token } = await profileOf(
    TOKEN,
    [
      issued,
      step(
        9,
        event({
          kind: 'metadata',
          subject: TOKEN,
          holder: 'maker',
          detail: '{"name":"A","symbol":"B","uri":""}',
        }),
      ),
    ],
    {
      claims: { [TOKEN]: { symbol: null, decimals: 6 } },
    },
  );
  expect(token).toMatchObject({
    ...{ creator: { address: 'maker', isInferred: true }, supplyRaw: 100n, metadata: { symbol: 'B' } },
    mintAuthority: { status: 'unknown' },
    metadataAuthority: { status: 'held', address: 'maker' },
  });
});

test('that nobody ever had a power is not said of a contract, whose code may give it, nor across a gap', async () => {
  const made = step(1, event({ kind: 'contract_created', subject: TOKEN, holder: 'maker' }));
  const claims = { [TOKEN]: { symbol: null, decimals: 6 } };
  const contract = await profileOf(TOKEN, [funded, made, issued], { claims });
  expect(contract.token).toMatchObject({
    creator: { address: 'maker' },
    mintAuthority: { status: 'unknown' },
  });
  expect(contract.program).toMatchObject({ upgradeAuthority: { status: 'unknown' } });
  const gap = await profileOf(TOKEN, [funded, minted, issued], { controlSince: T + 2 });
  expect(gap.token?.freezeAuthority.status).toBe('unknown');
});

test('who got a power before a gap is not said to have it still, nor that nobody has', async () => {
  const later = (kind: 'mint' | 'freeze', party: string | null) =>
    event({ kind: 'authority_changed', subject: TOKEN, holder: 'maker', party, detail: kind });
  const named = event({
    ...{ kind: 'metadata', subject: TOKEN, holder: 'maker' },
    detail: '{"name":"A","symbol":"B","uri":""}',
  });
  const steps = [funded, minted, issued, step(3, later('freeze', null), named)];
  const kept = await profileOf(TOKEN, steps, { controlSince: T + 1 });
  expect(kept.token).toMatchObject({
    ...{ mintAuthority: { status: 'held' }, freezeAuthority: { status: 'given_up' } },
    metadataAuthority: { status: 'held' },
  });
  const { token } = await profileOf(TOKEN, [...steps, step(5, later('mint', 'crook'))], {
    controlSince: T + 4,
  });
  const unknown = { status: 'unknown', address: null, since: null };
  expect(token).toMatchObject({
    ...{ mintAuthority: { status: 'held', address: 'crook' }, freezeAuthority: unknown },
    metadataAuthority: unknown,
  });
});

test('a program tells its deployer, who may change it, and who did', async () => {
  const steps = [
    step(1, event({ kind: 'contract_created', subject: 'code', holder: 'maker', party: 'factory' })),
    step(2, event({ kind: 'authority_changed', subject: 'code', party: 'admin', detail: 'proxy_admin' })),
    step(3, event({ kind: 'program_upgraded', subject: 'code', party: 'new-code' })),
    step(
      4,
      event({
        kind: 'authority_changed',
        subject: 'code',
        holder: 'admin',
        party: 'other',
        detail: 'proxy_admin',
      }),
    ),
    step(5, event({ kind: 'calls', subject: 'code', party: 'ann', amountRaw: 3n })),
  ];
  const { program, identity } = await profileOf('code', steps);
  expect(identity).toMatchObject({ type: 'contract', predicted: null });
  expect(program).toMatchObject({
    deployer: { address: 'maker', signature: 'tx-1' },
    factory: 'factory',
    upgradeAuthority: { status: 'held', address: 'other', since: { signature: 'tx-4' } },
    owner: { status: 'unknown' },
    upgrades: [{ implementation: 'new-code', signature: 'tx-3' }],
    firstSeen: T + 1,
    topCallers: { callers: [{ caller: 'ann', calls: 3n }], calls: 3n },
  });
});
