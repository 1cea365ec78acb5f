import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import {
  askTrace as ask,
  crowd,
  deposit,
  evidenceOf,
  GAS,
  later,
  paidOut,
  T,
} from '../../testing/trace-story.ts';

/** Of days before the first indexed block only wallets are known that somebody asked about. */
describe('what was read of single wallets before the first indexed block', () => {
  const gas: StoryStep = { time: T - 50, moves: [move('ann', 'stranger-8', GAS)] };
  const told = async (steps: readonly StoryStep[], blocksSince: number) => {
    const { candidates, anonymitySet, scope, window } = await ask([...steps, later], {}, { blocksSince });
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
