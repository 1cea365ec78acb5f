import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { askTrace, crowd, deposit, evidenceOf, GAS, later, paidOut, T } from '../../testing/trace-story.ts';
import type { Backfills } from '../model/backfills.ts';
import type { ListedWindow } from '../model/history.ts';

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
  const ask = (windows: readonly ListedWindow[]) => {
    const backfills: Backfills = {
      canBackfill: () => true,
      lastBackfill: () => null,
      windows: (_, address) => windows.filter((each) => each.address === address),
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

  test.each([
    ['ends before the window does', { last: T + 4_000, lastUnixSeconds: null }],
    ['was read before the window ended', { readAtUnixSeconds: T + 4_000 }],
  ])(
    'is a part of the crowd where its reading %s, and the search is said to be incomplete',
    async (_, fields) => {
      const told = await ask([{ ...window, ...fields }]);
      expect(told).toMatchObject({ window: { complete: false }, scope: 'partial' });
      expect(told.detail).toMatch(/only in part/);
    },
  );
});
