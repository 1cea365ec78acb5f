import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { askTrace as ask, crowd, deposit, GAS, T } from '../../testing/trace-story.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

const familiesOf = async (...steps: StoryStep[]) => {
  const { candidates } = await ask([deposit, ...crowd, ...steps]);
  return candidates.flatMap(({ evidence }) => evidence.map(({ family }) => family));
};

describe('what somebody else took of a wallet is no payment of it:', () => {
  const dollars = (from: string, to: string, by: string, authority: string | null): StoryStep => ({
    ...{ time: T - 5_000, by },
    moves: [move(from, to, 5_000_000n, { asset: USDC, authority })],
  });

  test('a thief with an allowance is not funded by his victim', async () => {
    expect(await familiesOf(dollars('ann', 'stranger-8', 'stranger-8', 'stranger-8'))).toEqual([]);
    expect(await familiesOf(dollars('stranger-8', 'ann', 'thief', 'drainer'))).toEqual([]);
  });

  test('nor do two share a funder that one of them took from', async () => {
    const funded: StoryStep = { time: T - 6_000, moves: [move('hub', 'ann', GAS)] };
    const taken = dollars('hub', 'stranger-8', 'stranger-8', 'stranger-8');
    expect(await familiesOf(funded, taken)).toEqual([]);
    expect(await familiesOf(funded, { ...taken, by: 'hub' })).toEqual(['shared_funder']);
  });

  test('a payment of its own is one, whoever brings it to the chain and through whichever contract', async () => {
    expect(await familiesOf(dollars('ann', 'stranger-8', 'bundler', null))).toEqual(['gas_by_depositor']);
    expect(await familiesOf(dollars('ann', 'stranger-8', 'ann', 'permits'))).toEqual(['gas_by_depositor']);
  });
});
