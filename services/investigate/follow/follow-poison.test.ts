import { describe, expect, test } from 'vitest';
import { ask, path } from '../../testing/ask-follow.ts';
import { move } from '../../testing/chain-story.ts';

describe('poison', () => {
  const fake = '0x00000000000000000000000000000000000000fa';

  test('amounts of nothing lead nowhere', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'imitation', 0n), move('alice', 'bob', 1n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob']);
  });

  test('dust to an address that looks like a paid one is dropped; a real sum to it is the theft', async () => {
    const paid = '0xabc0000000000000000000000000000000000def';
    const imitation = '0xabc1111111111111111111111111111111111def';
    const question = { chain: 'ethereum', atUnixSeconds: 0 } as const;
    const dust = await ask(
      [
        { time: 10, moves: [move('alice', imitation, 1n), move('alice', paid, 100n)] },
        { time: 11, moves: [move('alice', 'other', 100n)] },
      ],
      question,
    );
    expect(path(dust)).toEqual([`alice>${paid}`]);
    const fooled = await ask(
      [{ time: 10, moves: [move('alice', imitation, 900n), move('alice', paid, 100n)] }],
      question,
    );
    expect(path(fooled)).toEqual([`alice>${imitation}`]);
  });

  test('a log of an unlisted token counts only in a transaction that the wallet sent', async () => {
    const story = [
      { time: 10, by: 'spammer', moves: [move('alice', 'imitation', 1_000n, { asset: fake })] },
      { time: 20, by: 'alice', moves: [move('alice', 'bob', 10n, { asset: fake })] },
    ];
    expect(path(await ask(story, { chain: 'ethereum', canonicalAsset: fake }))).toEqual(['alice>bob']);
  });

  test('an allowance theft of an unlisted token is not at rest: what was left out is named', async () => {
    const moves = [move('alice', 'thief', 10n, { asset: fake, authority: 'thief' })];
    const arrival = { time: 5, by: 'source', moves: [move('source', 'alice', 10n, { asset: fake })] };
    const theft = { time: 10, by: 'thief', moves };
    const { isComplete, end } = await ask([arrival, theft], {
      chain: 'ethereum',
      canonicalAsset: fake,
      start: 'source',
    });
    expect(isComplete).toBe(false);
    expect(end).toMatchObject({
      ...{ reason: 'no_data', because: 'left_out', address: 'alice' },
      others: [{ from: 'alice', to: 'thief', amountRaw: 10n, signature: 'tx-10-0' }],
    });
    expect(end.detail).toContain('Left out: 10 raw units');
    expect(end.detail).not.toContain('still there');
    const safe = await ask([arrival], { chain: 'ethereum', canonicalAsset: fake, start: 'source' });
    expect(safe).toMatchObject({
      isComplete: true,
      end: { reason: 'at_rest', holdingRaw: null, caveats: [] },
    });
  });

  test('what an allowance drains of a token that is listed, dollar or not, is followed', async () => {
    const steth = '0xae7ab96520de3a18e5e111b5eaab095312d7fe84';
    const moves = [move('alice', 'thief', 10n, { asset: steth, authority: 'thief' })];
    const trail = await ask([{ time: 10, by: 'thief', moves }], { chain: 'ethereum', canonicalAsset: steth });
    expect(path(trail)).toEqual(['alice>thief']);
    expect(trail.end.detail).not.toContain('Left out');
  });

  test('what an allowance drains and what a smart account pays is followed, whoever sent the transaction', async () => {
    const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
    const drained = move('alice', 'account', 10n, { asset: usdc, authority: 'thief' });
    const story = [
      { time: 10, by: 'thief', moves: [drained] },
      { time: 20, by: 'bundler', moves: [move('account', 'carol', 10n, { asset: usdc })] },
    ];
    const trail = await ask(story, { chain: 'ethereum', canonicalAsset: usdc });
    expect(path(trail)).toEqual(['alice>account', 'account>carol']);
  });

  test('a false receipt of an unlisted token never makes its payment somebody else’s', async () => {
    const story = [
      { time: 10, by: 'alice', moves: [move('alice', 'bob', 90n, { asset: fake })] },
      { time: 11, by: 'spammer', moves: [move('stranger', 'bob', 50n, { asset: fake })] },
      { time: 20, by: 'bob', moves: [move('bob', 'carol', 50n, { asset: fake })] },
    ];
    expect(path(await ask(story, { chain: 'ethereum', canonicalAsset: fake }))).toEqual([
      'alice>bob',
      'bob>carol',
    ]);
  });

  test('on Solana it counts whoever paid the fee: token programs record no false transfers', async () => {
    const story = [{ time: 10, by: 'sponsor', moves: [move('alice', 'bob', 10n, { asset: 'mint' })] }];
    expect(path(await ask(story, { canonicalAsset: 'mint' }))).toEqual(['alice>bob']);
  });
});
