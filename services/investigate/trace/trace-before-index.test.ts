import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import {
  askTrace,
  crowd,
  deposit,
  evidenceOf,
  GAS,
  later,
  NOTE,
  paidOut,
  T,
} from '../../testing/trace-story.ts';
import type { Backfills } from '../model/backfills.ts';
import type { ListedWindow } from '../model/history.ts';
import type { Service } from '../model/trace-reader.ts';

/** Of days before the first indexed block only wallets are known that somebody asked about. */
describe('what was read of single wallets before the first indexed block', () => {
  const gas: StoryStep = { time: T - 50, moves: [move('ann', 'stranger-8', GAS)] };
  const told = async (steps: readonly StoryStep[], blocksSince: number) => {
    const { candidates, anonymitySet, scope, window } = await askTrace(
      [...steps, later],
      {},
      { blocksSince },
    );
    const families = evidenceOf({ candidates });
    return { wallets: candidates.length, anonymitySet, families, scope, read: window.transactions };
  };

  test('is no crowd: of a window without blocks nobody is a candidate, and of one with some nobody before them', async () => {
    const story = [gas, deposit, paidOut('suspect', T + 300), ...crowd];
    expect(await told(story, T + 86_401)).toEqual({
      ...{ wallets: 0, anonymitySet: 0, families: [], scope: 'no_data', read: 0 },
    });
    expect(await told(story, T + 400)).toEqual({
      ...{ wallets: 9, anonymitySet: 9, families: ['gas_by_depositor'], scope: 'partial', read: 9 },
    });
  });

  test('says of nobody how many others it dealt with: through him nobody is tied', async () => {
    const funded = ['ann', 'stranger-8'].map(
      (to, index): StoryStep => ({ time: T - 900 + index, moves: [move('hub', to, GAS)] }),
    );
    const story = [...funded, deposit, ...crowd];
    expect(await told(story, T - 900)).toMatchObject({ families: ['shared_funder'], scope: 'full' });
    expect(await told(story, T - 899)).toMatchObject({ families: [], scope: 'partial' });
  });
});

describe('a pool that was read from its chain by itself', () => {
  const story = [deposit, paidOut('suspect', T + 300), ...crowd, later];
  const window: ListedWindow = {
    ...{ chain: 'ethereum', address: 'pool', kinds: ['emitted'], asset: null, first: T, last: T + 90_000 },
    ...{ lastUnixSeconds: T + 90_000, source: 'evm-node', proof: 'listed', reason: null },
    ...{ transactions: 10, readAtUnixSeconds: T + 90_000 },
  };
  const complete: Backfills['lastReading'] = () => ({
    ...{ number: 1, readAtUnixSeconds: T + 300_000, coverage: 'complete' },
  });
  const ask = (windows: readonly ListedWindow[], more: Partial<Backfills> = {}) => {
    const backfills: Backfills = {
      canBackfill: () => true,
      lastBackfill: () => null,
      windows: (_, address) => windows.filter((each) => each.address === address),
      ...more,
    };
    return askTrace(story, {}, { blocksSince: T + 89_000, backfills });
  };

  test('is the crowd, as if its blocks were indexed, and the search is complete', async () => {
    const [read, indexed] = [await ask([window]), await askTrace(story)];
    expect(read.candidates.map(({ wallet }) => wallet)).toEqual(
      indexed.candidates.map(({ wallet }) => wallet),
    );
    expect(read.candidates.map(({ confidence }) => confidence)).toEqual(
      indexed.candidates.map(({ confidence }) => confidence),
    );
    expect(read).toMatchObject({ anonymitySet: 10, window: { complete: true }, scope: 'full' });
  });

  test('is asked for from the anchor on where it was not read, and then nobody is a candidate', async () => {
    expect(await ask([])).toMatchObject({
      ...{ candidates: [], scope: 'no_data' },
      crowd: { addresses: ['pool'], anchorBlock: expect.any(Number), side: 'emitted', isForward: true },
    });
  });

  test('is not known by its logs where the block of the anchor holds none: its calls tell its payments', async () => {
    const silent: ListedWindow = { ...window, transactions: 0 };
    expect(await ask([silent])).toMatchObject({ candidates: [], scope: 'no_data' });
    const calls: ListedWindow = { ...window, kinds: ['sent', 'internal', 'tokens_out'] };
    expect(await ask([silent, calls])).toMatchObject({ anonymitySet: 10, window: { complete: true } });
  });

  test.each([
    ['ends before the window does', { last: T + 4_000, lastUnixSeconds: null }],
    ['reached the newest block before the window ended', { lastUnixSeconds: T + 4_000 }],
  ])(
    'is a part of the crowd where its reading %s, and the search is said to be incomplete',
    async (_, fields) => {
      const told = await ask([{ ...window, ...fields }]);
      expect(told).toMatchObject({ window: { complete: false }, scope: 'partial' });
      expect(told.detail).toMatch(/only in part/);
    },
  );

  test('is not whole up to a block before the end of the window, though it was read to there without a cut', async () => {
    const bounded = { ...window, last: T + 400, lastUnixSeconds: null };
    expect(await ask([bounded], { lastReading: complete })).toMatchObject({
      ...{ window: { complete: false }, scope: 'partial' },
    });
  });

  test('is whole by the reading of its whole history only if that came after the end of the window', async () => {
    const readAt = (readAtUnixSeconds: number) => ({
      lastBackfill: () => ({ missing: 'nothing' as const, readAtUnixSeconds }),
    });
    expect(await ask([], readAt(T + 300_000))).toMatchObject({ window: { complete: true }, scope: 'full' });
    expect(await ask([], readAt(T + 10))).toMatchObject({ candidates: [], scope: 'no_data' });
  });
});

describe('an exchange some of whose wallets were read from their chain', () => {
  const hot: [string, Service][] = ['hot-1', 'hot-2'].map((wallet) => [
    wallet,
    { entity: 'desk', kind: 'exchange' },
  ]);
  const paid = { time: T, moves: [move('ann', 'hot-1', NOTE)] };
  const pays = { time: T + 300, moves: [move('hot-1', 'suspect', NOTE)] };
  const windowOf = (address: string): ListedWindow => ({
    ...{ chain: 'ethereum', address, kinds: ['sent', 'internal', 'tokens_out'], asset: null },
    ...{ first: T, last: T + 300_000, lastUnixSeconds: T + 300_000, source: 'evm-node', proof: 'listed' },
    ...{ reason: null, transactions: 1, readAtUnixSeconds: T + 300_000 },
  });
  const ask = (read: readonly string[]) =>
    askTrace(
      [{ ...deposit, ...paid }, pays, later],
      { counterparty: 'hot-1' },
      {
        ...{ services: new Map(hot), blocksSince: T + 299_000 },
        backfills: {
          canBackfill: () => true,
          lastBackfill: () => null,
          windows: (_, address) => (read.includes(address) ? [windowOf(address)] : []),
        },
      },
    );

  test('has candidates where all of them were, and none where others may have paid as many', async () => {
    const wallets = async (read: readonly string[]) =>
      (await ask(read)).candidates.map(({ wallet }) => wallet);
    expect(await wallets(['hot-1', 'hot-2'])).toEqual(['suspect']);
    expect(await ask(['hot-1'])).toMatchObject({
      ...{ candidates: [], window: { complete: false }, scope: 'partial' },
      detail: expect.stringContaining('only in part'),
    });
  });
});
