import { beforeAll, expect, test } from 'vitest';
import { follow } from '../../../investigate/follow/follow.ts';
import { followWith, path, toFollowRequest } from '../../../testing/ask-follow.ts';
import { move, type StoryStep, tellStory } from '../../../testing/chain-story.ts';
import { TableStage } from '../../../testing/table-stage.ts';
import { createTransferReader } from '../create-transfer-reader.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const OWN = `0x${'f'.repeat(40)}`;
const BEGIN = 1_700_000_000;
const stage = new TableStage();

/** 10,001 tokens that say they left a wallet, and came to it. */
const poisonOf = (wallet: string, at: number): StoryStep[] => {
  const tokens = Array.from({ length: 10_001 }, (_, n) => `0x${String(n).padStart(40, '0')}`);
  return Array.from({ length: 21 }, (_, part) => ({
    ...{ time: BEGIN + at + part, by: 'mallory' },
    moves: tokens
      .slice(part * 500, part * 500 + 500)
      .flatMap((asset) => [move(wallet, 'x', 1n, { asset }), move('x', wallet, 1n, { asset })]),
  }));
};
const paid = (wallet: string, asset: string): StoryStep => ({
  ...{ time: BEGIN + 100, by: wallet },
  moves: [move('source', wallet, 5_000_000n, { asset }), move(wallet, 'cash', 5_000_000n, { asset })],
});

const DRAINED = `0x${'d'.repeat(40)}`;
const allows = (by: string, at: number): StoryStep => ({
  ...{ time: BEGIN + at, by },
  controls: [{ kind: 'approval', subject: DRAINED, holder: by, party: 'kit', amountRaw: 9_999_999n }],
});
const drains = (wallet: string, at: number): StoryStep => ({
  ...{ time: BEGIN + at, by: 'mallory' },
  moves: [move(wallet, 'thief2', 9n, { asset: DRAINED, authority: 'kit' })],
});

beforeAll(async () => {
  await stage.insert(
    tellStory('ethereum', [
      ...[...poisonOf('thief', 0), ...poisonOf('trader', 21), paid('thief', USDC), paid('trader', OWN)],
      ...[...poisonOf('thief', 200), ...poisonOf('trader', 221)],
      ...[allows('victim', 300), allows('bot', 301), drains('victim', 302)],
      ...Array.from({ length: 2_001 }, (_, n) => drains('bot', 400 + n)),
    ]),
  );
});

test.each([
  ['the dollar', 'thief', USDC],
  ['a token of its own transactions', 'trader', OWN],
])('%s is followed out of a wallet that 10,001 tokens say they left', async (_, start, canonicalAsset) => {
  const reader = createTransferReader(stage.warehouse.reader);
  const ask = (backward: boolean) =>
    follow(toFollowRequest({ chain: 'ethereum', start, canonicalAsset: null, backward }), followWith(reader));
  const trail = await ask(false);
  expect(trail.asset.canonicalAsset).toBe(canonicalAsset);
  expect(path(trail)).toEqual([`${start}>cash`]);
  expect((await ask(true)).asset.canonicalAsset).toBe(canonicalAsset);
});

test('what a spender took of one wallet is read beside a wallet of which it took two thousand times', async () => {
  const reader = createTransferReader(stage.warehouse.reader);
  const place = { blockTime: BEGIN, blockNumber: 0, txIndex: 0, step: 0 };
  const common = {
    chain: 'ethereum',
    canonicalAsset: DRAINED,
    side: 'departures',
    ownOnly: true,
    limit: 2,
  } as const;
  const places = ['victim', 'bot'].map((wallet) => ({ wallet, from: place }));
  const pages = await reader.flows(common, places, {
    signal: new AbortController().signal,
    timeoutMs: 20_000,
  });
  expect(pages.map(({ rows }) => rows.length)).toEqual([1, 2]);
});
