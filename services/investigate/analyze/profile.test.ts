import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { DOLLAR, ETHER, profileOf, USDC } from '../../testing/profile-story.ts';

const T = 1_700_000_000;
const ether = (from: string, to: string, time: number, amountRaw = ETHER): StoryStep => ({
  time,
  moves: [move(from, to, amountRaw)],
});

const REAL = '0xabc0000000000000000000000000000000001234';
const FAKE = '0xabc9999999999999999999999999999999991234';
const FAR = '0xab09999999999999999999999999999999991234';

test('an imitation is told from its victim and from its own end', async () => {
  const steps = [
    ether('ann', REAL, T),
    { time: T + 9, by: FAKE, moves: [move('ann', FAKE, 0n, { asset: USDC })] },
    { time: T + 10, by: FAKE, moves: [move(FAKE, 'ann', 1n)] },
    { time: T + 11, moves: [move(FAR, 'ann', 1n)] },
  ];
  const [victim, imitation, original] = await Promise.all(
    ['ann', FAKE, REAL].map((wallet) => profileOf(wallet, steps)),
  );
  expect(victim?.lookalikes).toEqual([
    expect.objectContaining({ role: 'victim', address: FAKE, of: REAL, victim: 'ann', blockTime: T + 9 }),
  ]);
  expect(imitation?.lookalikes).toEqual([
    expect.objectContaining({ role: 'imitation', address: FAKE, of: REAL, victim: 'ann', blockTime: T + 9 }),
  ]);
  expect(original?.lookalikes).toEqual([]);
  expect(imitation?.behaviours.map(({ name }) => name)).toContain('poisoner');
  expect(victim?.behaviours.map(({ name }) => name)).toContain('poisoned');
});

test('an imitation is told whatever its victim had paid to the address that it looks like', async () => {
  const asset = `0x${'4'.repeat(40)}`;
  const steps = [
    { time: T, moves: [move('ann', REAL, 10n, { asset })] },
    { time: T + 9, by: 'thief', moves: [move('ann', FAKE, 5n, { asset: `0x${'5'.repeat(40)}` })] },
  ];
  const { lookalikes, risk } = await profileOf(FAKE, steps);
  expect(lookalikes).toMatchObject([{ role: 'imitation', of: REAL, victim: 'ann' }]);
  expect(risk.level).toBe('high');
});

test('the chain of first funders ends at a service', async () => {
  const steps = [
    ether('desk', 'a', T),
    ether('a', 'b', T + 1),
    ether('b', 'c', T + 2),
    ether('x', 'c', T + 3),
  ];
  const { funding } = await profileOf('c', steps, { labels: { desk: { name: 'Desk', kind: 'exchange' } } });
  expect(funding).toMatchObject({
    end: 'service',
    steps: [{ funder: 'b' }, { funder: 'a' }, { funder: 'desk' }],
  });
});

test('a funder who was funded only after it paid is where the chain ends', async () => {
  const { funding } = await profileOf('c', [ether('b', 'c', T), ether('a', 'b', T + 1)]);
  expect(funding).toMatchObject({ end: 'unknown', steps: [{ funder: 'b' }] });
});

test('the chain of first funders has eight steps at most', async () => {
  const steps = Array.from({ length: 12 }, (_, index) => ether(`w${index}`, `w${index + 1}`, T + index));
  const { funding } = await profileOf('w12', steps);
  expect(funding?.end).toBe('steps');
  expect(funding?.steps).toHaveLength(8);
});

test('a first funder of before a gap stays the first, and one of behind it is only the first indexed', async () => {
  const day = 86_400;
  const steps = [ether('a', 'b', T), ether('c', 'd', T + 9 * day), ether('e', 'b', T + 10 * day)];
  const gap = { missingSince: T + day, indexedSince: T + 2 * day };
  const fundingOf = async (wallet: string) => (await profileOf(wallet, steps, gap)).funding;
  expect(await fundingOf('b')).toMatchObject({ seenIn: null, steps: [{ funder: 'a' }] });
  expect(await fundingOf('d')).toMatchObject({
    ...{ seenIn: expect.stringContaining('Seen only in indexed blocks'), steps: [{ funder: 'c' }] },
  });
  // Where the chain's first block is missing, nobody is.
  const { funding } = await profileOf('b', steps, { indexedSince: gap.indexedSince });
  expect(funding).toBeNull();
});

test('balances are told exactly where history is whole, and otherwise not at all', async () => {
  const raw = 2n ** 70n + 1n;
  const steps = [ether('a', 'b', T, raw)];
  const whole = await profileOf('b', steps);
  expect(whole.balances).toMatchObject([{ asset: 'native', amountRaw: raw, source: 'rows' }]);
  expect(whole.meta).toMatchObject({ scope: 'full', complete: true, detail: null });
  const part = await profileOf('b', steps, { indexedSince: T });
  expect(part.balances).toMatchObject([{ asset: 'native', amountRaw: null, source: null }]);
  expect(part.meta).toMatchObject({ scope: 'partial', complete: false });
});

test('a node tells the balances that rows do not, and is not asked where they do', async () => {
  const steps = [ether('a', 'b', T), { time: T, moves: [move('a', 'b', 5n * DOLLAR, { asset: USDC })] }];
  const held = { native: 7n * ETHER };
  const part = await profileOf('b', steps, { indexedSince: T, held });
  expect(part.balances).toMatchObject([
    { asset: 'native', amountRaw: 7n * ETHER, usd: 14_000, source: 'node' },
    { asset: USDC, amountRaw: null, source: null },
  ]);
  const whole = await profileOf('b', steps, { held });
  expect(whole.balances).toMatchObject([{ amountRaw: ETHER, source: 'rows' }, { source: 'rows' }]);
  const overdrawn = await profileOf('b', [...steps, ether('b', 'c', T + 1, 9n * ETHER)], { held });
  expect(overdrawn.balances).toMatchObject([{ amountRaw: 7n * ETHER, source: 'node' }, { source: 'rows' }]);
});

test('a wallet that gave more than it got is partial, and the asset is named', async () => {
  const { meta } = await profileOf('b', [ether('a', 'b', T), ether('b', 'c', T + 1, 2n * ETHER)]);
  expect(meta).toMatchObject({ scope: 'partial', detail: expect.stringContaining('ETH') });
});

test('logs of an unlisted token that the wallet did not cause are no transfers of it', async () => {
  const asset = `0x${'4'.repeat(40)}`;
  const forged = { time: T + 1, by: 'mallory', moves: [move('ann', 'mallory', 10n, { asset })] };
  const { connections } = await profileOf('ann', [ether('bob', 'ann', T), forged]);
  expect(connections.map(({ address }) => address)).toEqual(['bob']);
});

test('connections are labelled ones first, then by dollars both ways', async () => {
  const steps = [
    ether('rich', 'ann', T, 9n * ETHER),
    ether('poor', 'ann', T + 1),
    { time: T + 2, moves: [move('ann', 'pool', DOLLAR, { asset: USDC })] },
  ];
  const { connections } = await profileOf('ann', steps, { labels: { pool: { name: 'Pool', kind: 'dex' } } });
  expect(connections.map(({ address }) => address)).toEqual(['pool', 'rich', 'poor']);
  expect(connections[1]?.in).toMatchObject({ count: 1, usd: 18_000, first: T });
  expect(connections[1]?.out).toMatchObject({ count: 0, usd: 0, first: null });
  expect(connections[0]?.transfers).toEqual([]);
});

test('what a swap changed is neither income nor spending', async () => {
  const swap = {
    gaveAsset: 'native',
    gaveRaw: ETHER,
    gotAsset: USDC,
    gotRaw: 2_000n * DOLLAR,
    through: 'pool',
  };
  const steps: StoryStep[] = [
    ether('bob', 'ann', T, 2n * ETHER),
    {
      time: T + 1,
      by: 'ann',
      moves: [move('ann', 'pool', ETHER), move('pool', 'ann', 2_000n * DOLLAR, { asset: USDC })],
      swaps: [{ owner: 'ann', ...swap }],
    },
  ];
  const { activity } = await profileOf('ann', steps);
  expect(activity).toMatchObject({ usdIn: 4_000, usdOut: 0, transfersIn: 2, transfersOut: 1 });
});
