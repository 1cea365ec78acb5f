import { describe, expect, test } from 'vitest';
import { followAndTell as follow, followWith, path, toFollowRequest } from '../../testing/ask-follow.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import type { Backfill } from '../model/backfills.ts';
import type { ListedWindow } from '../model/history.ts';
import type { FollowRequest } from './trail.ts';

const story = tellStory('solana', [
  { time: 10, moves: [move('alice', 'bob', 100n)] },
  { time: 20, moves: [move('bob', 'carol', 100n)] },
  { time: 200, moves: [move('carol', 'dave', 5n)] },
]);
const whole: Backfill = { readAtUnixSeconds: 150, missing: 'nothing' };

type Asked = {
  readonly question?: Partial<Omit<FollowRequest, 'chain'>>;
  /** Wallets whose history was read by itself. */
  readonly read?: Readonly<Record<string, Backfill>>;
  /** Parts of histories that were read. */
  readonly windows?: readonly ListedWindow[];
  readonly canBackfill?: boolean;
  readonly indexedSince?: number;
  /** How the newest reading of each wallet ended. */
  readonly ended?: Readonly<Record<string, string>>;
};

/** Blocks are indexed from 100 on, and rows from before came with wallets that somebody asked about. */
const ask = ({
  question = {},
  read = {},
  windows = [],
  canBackfill = true,
  indexedSince = 100,
  ended = {},
}: Asked) =>
  follow(toFollowRequest(question), {
    ...followWith(createMemoryReader(story, { indexedSince })),
    backfills: {
      canBackfill: () => canBackfill,
      lastBackfill: (_, wallet) => read[wallet] ?? null,
      windows: (_, wallet) => windows.filter(({ address }) => address === wallet),
      lastReading: (_, wallet) => {
        const coverage = ended[wallet];
        return coverage === undefined ? null : { number: 1, readAtUnixSeconds: 150, coverage };
      },
    },
  });

describe('a wallet that nobody read', () => {
  test('is no_data, whatever rows of it came with others: it may have sent on what reached it', async () => {
    const trail = await ask({ read: { alice: whole } });
    expect(path(trail)).toEqual(['alice>bob']);
    expect(trail.end).toMatchObject({ reason: 'no_data', because: 'unread', address: 'bob' });
    expect(trail).toMatchObject({ isComplete: false, span: { fromUnixSeconds: 100, toUnixSeconds: 200 } });
  });

  test('is no_data as the start too, though rows of today name it', async () => {
    const { hops, end } = await ask({ question: { start: 'carol' } });
    expect(hops).toEqual([]);
    expect(end).toMatchObject({ reason: 'no_data', because: 'unread', address: 'carol' });
  });

  test('is known from the moment on that blocks are', async () => {
    const trail = await ask({ question: { start: 'carol', atUnixSeconds: 100 } });
    expect(path(trail)).toEqual(['carol>dave']);
    expect(trail).toMatchObject({ isComplete: true, end: { reason: 'at_rest', holdingRaw: null } });
  });

  test('may have been paid before: then it is no_data too', async () => {
    const { end } = await ask({ question: { start: 'carol', counterparty: 'eve' } });
    expect(end).toMatchObject({ reason: 'no_data', because: 'unread', address: 'carol' });
  });
});

test('who passed all on in the transaction that brought it is followed on, though nobody read more of it', async () => {
  const routed = tellStory('solana', [
    { time: 10, moves: [move('alice', 'router', 100n), move('router', 'carol', 100n)] },
    { time: 20, moves: [move('alice', 'keeper', 90n), move('keeper', 'dave', 50n)] },
  ]);
  const read: Readonly<Record<string, Backfill>> = { alice: whole };
  const of = (blocks: typeof routed) =>
    follow(toFollowRequest({}), {
      ...followWith(createMemoryReader(blocks, { indexedSince: 100 })),
      backfills: { canBackfill: () => true, lastBackfill: (_, wallet) => read[wallet] ?? null },
    });
  const passed = await of(routed.slice(0, 1));
  expect(passed.hops).toMatchObject([{ from: 'alice', to: 'carol', through: [{ address: 'router' }] }]);
  expect(passed.end).toMatchObject({ reason: 'no_data', because: 'unread', address: 'carol' });
  const kept = await of(routed.slice(1));
  expect(kept.end).toMatchObject({ reason: 'no_data', because: 'unread', address: 'keeper' });
});

describe('a wallet whose history was read', () => {
  const read = { alice: whole, bob: whole, carol: whole, dave: whole };

  test('is followed as if all blocks were indexed', async () => {
    const full = await follow(toFollowRequest({}), followWith(createMemoryReader(story)));
    const aside = await ask({ read });
    expect(aside.hops).toEqual(full.hops);
    expect(aside.end).toEqual(full.end);
    expect(aside.end).toMatchObject({ reason: 'at_rest', address: 'carol', holdingRaw: 95n });
    expect(aside.isComplete).toBe(true);
  });

  test('is unread again where blocks are missing since', async () => {
    const { end } = await ask({ read, indexedSince: 151 });
    expect(end).toMatchObject({ reason: 'no_data', because: 'unread', address: 'alice' });
  });

  test('but not all of it: what is known is followed, and that money rests is not said', async () => {
    const missing = { readAtUnixSeconds: 150, missing: 'more' } as const;
    const trail = await ask({ read: { alice: missing, bob: missing, carol: missing } });
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.end).toMatchObject({ reason: 'no_data', because: 'not_indexed', address: 'carol' });
    expect(trail.isComplete).toBe(false);
  });

  test('but for the coin: the coin is not known, tokens are', async () => {
    const missing = { readAtUnixSeconds: 150, missing: 'coin' } as const;
    expect((await ask({ read: { alice: missing } })).isComplete).toBe(false);
    const tokens = await ask({ question: { canonicalAsset: 'mint' }, read: { alice: missing } });
    expect(tokens).toMatchObject({ isComplete: true, end: { reason: 'at_rest' } });
  });
});

describe('a wallet of which a window was read', () => {
  const window = (address: string, fields: Partial<ListedWindow> = {}): ListedWindow => ({
    ...{ chain: 'solana', address, kinds: ['sent', 'tokens_out'], asset: null },
    ...{ first: 10, last: 99, lastUnixSeconds: 190, source: 'solana-node', proof: 'proved' },
    ...{ reason: null, transactions: 1, readAtUnixSeconds: 150 },
    ...fields,
  });
  const read = { alice: whole };

  test('from when the money came until blocks are indexed is known, as if all of it were', async () => {
    const trail = await ask({ read, windows: [window('bob'), window('carol')] });
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail).toMatchObject({ isComplete: true, end: { reason: 'at_rest', address: 'carol' } });
  });

  test('that ends before blocks are indexed is unread: the rest may be read', async () => {
    const cut = { last: 50, lastUnixSeconds: null };
    const trail = await ask({ read, windows: [window('bob'), window('carol', cut)] });
    expect(trail.end).toMatchObject({ reason: 'no_data', because: 'unread', address: 'carol' });
  });

  test('that begins later, or is known to lack something, is unread', async () => {
    for (const fields of [{ first: 11 }, { proof: 'partial' as const }, { kinds: ['tokens_out' as const] }]) {
      const trail = await ask({ read, windows: [window('bob', fields)] });
      expect(trail.end).toMatchObject({ reason: 'no_data', because: 'unread', address: 'bob' });
    }
  });
});

describe('a busy wallet, of whose history the newest part was read and the rest was cut', () => {
  const cut: Backfill = { readAtUnixSeconds: 150, missing: 'more' };
  const window = (first: number, last: number, fields: Partial<ListedWindow> = {}): ListedWindow => ({
    ...{ chain: 'solana', address: 'bob', kinds: ['sent', 'tokens_out'], asset: null, first, last },
    ...{ lastUnixSeconds: null, source: 'solana-node', proof: 'proved', reason: null },
    ...{ transactions: 1, readAtUnixSeconds: 150 },
    ...fields,
  });
  const newest = window(60, 99, { lastUnixSeconds: 190 });
  const read = { alice: whole, bob: cut, carol: whole };
  const busy = (windows: readonly ListedWindow[], coverage = 'older_left_out') =>
    ask({ read, windows, ended: { bob: coverage } });

  test('is unread from where the money came on, oldest first', async () => {
    expect((await busy([newest])).end).toMatchObject({
      ...{ reason: 'no_data', because: 'unread', address: 'bob' },
      rest: { asset: null, first: 10, last: null, order: 'oldest' },
    });
  });

  test('is unread from where its windows end, as long as what arrived has not left', async () => {
    expect((await busy([newest, window(10, 15)])).end).toMatchObject({
      rest: { first: 16, last: null, order: 'oldest' },
    });
  });

  test('is known as soon as what arrived has left: nothing later is read', async () => {
    const trail = await busy([newest, window(10, 20)]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail).toMatchObject({ isComplete: true, end: { reason: 'at_rest', address: 'carol' } });
    const listed = window(10, 20, { proof: 'listed' });
    expect(await busy([newest, listed])).toMatchObject({ isComplete: false, end: { address: 'carol' } });
  });

  test('is followed by what is known of it where its reading failed', async () => {
    const trail = await busy([newest], 'node_failed');
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.isComplete).toBe(false);
  });

  test('is unread up to where the money left, backward: newest first', async () => {
    const question = { start: 'carol', backward: true, atUnixSeconds: 20 };
    const back = (windows: readonly ListedWindow[]) =>
      ask({ question, read, windows, ended: { bob: 'older_left_out' } });
    expect((await back([newest])).end).toMatchObject({
      ...{ because: 'unread', address: 'bob' },
      rest: { asset: null, first: null, last: 20, order: 'newest' },
    });
    expect((await back([newest, window(15, 20)])).end).toMatchObject({ rest: { last: 14 } });
    expect(path(await back([newest, window(10, 20)]))).toEqual(['carol>bob', 'bob>alice']);
  });
});

test('where no node can be asked, what is indexed is followed and said to be a part', async () => {
  const trail = await ask({ canBackfill: false });
  expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
  const others = [{ from: 'carol', to: 'dave', amountRaw: 5n }];
  expect(trail.end).toMatchObject({ reason: 'no_data', because: 'not_indexed', address: 'carol', others });
  expect(trail.end.detail).toContain('Only a part of what carol did is indexed');
});

describe('backward', () => {
  const question = { start: 'dave', backward: true };

  test('a source is no_data while what it got before was not read', async () => {
    const trail = await ask({ question });
    expect(path(trail)).toEqual(['dave>carol']);
    expect(trail.end).toMatchObject({ reason: 'no_data', because: 'unread', address: 'carol' });
  });

  test('a source that was read is followed on', async () => {
    const trail = await ask({ question, read: { carol: whole, bob: whole, alice: whole } });
    expect(path(trail)).toEqual(['dave>carol', 'carol>bob', 'bob>alice']);
    expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'alice' });
  });
});
