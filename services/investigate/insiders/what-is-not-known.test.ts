import { describe, expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { ask, buys, create, funds, kindsOf, later, swapOf, T, token } from '../../testing/insiders-story.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import { createMemoryTokenReader } from '../../testing/memory/memory-token-reader.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import { TELLING_RESERVE_MS, TIME_BUDGET_MS, TRANSACTIONS_AT_ONCE } from './rules.ts';

describe('what is not known', () => {
  test('dollars of a trade without a price are null, not 0, and the totals say of how many', async () => {
    const odd: StoryStep = {
      ...{ time: T + 5, by: 'bea' },
      moves: [move('bea', 'curve', 7n, { asset: 'odd' }), move('curve', 'bea', 10n, token)],
      swaps: [swapOf('bea', 'odd', 7n, 'token', 10n)],
    };
    const funded = [funds(9, 'hub', 'ann'), funds(8, 'hub', 'bea'), create, odd, later];
    const report = await ask([...funded, buys(10, 'ann', 100n)]);
    const of = (who: string) => report.insiders.find(({ address }) => address === who);
    expect(of('ann')).toMatchObject({ boughtUsd: 100, soldUsd: 0, profitUsd: -100 });
    expect(of('bea')).toMatchObject({ boughtUsd: null, soldUsd: 0, profitUsd: null });
    expect(report.totals).toMatchObject({ boughtUsd: 100, unpriced: 1 });
  });

  test('blocks that nothing is derived from yet make the answer partial where it rests on them', async () => {
    const steps = [funds(9, 'hub', 'ann'), create, buys(10, 'ann'), later];
    const late = await ask(steps, { underivedFrom: 3 });
    expect(late).toMatchObject({ scope: 'partial', gaps: [expect.stringContaining('Blocks from 3 on')] });
    expect(await ask(steps, { underivedFrom: Number.MAX_SAFE_INTEGER })).toMatchObject({
      scope: 'full',
      gaps: [],
    });
    const unknown = await ask([funds(9, 'hub', 'ann')], { underivedFrom: 1 });
    expect(unknown).toMatchObject({ scope: 'no_data', gaps: [expect.stringContaining('Blocks from 1 on')] });
  });

  test('holders that are not counted in time leave shares out, and the rest stands', async () => {
    const steps = [
      funds(9, 'hub', 'ann'),
      funds(8, 'hub', 'bea'),
      create,
      buys(10, 'ann'),
      buys(11, 'bea'),
      later,
    ];
    const tokens = createMemoryTokenReader(
      tellStory(
        'ethereum',
        steps.toSorted((a, b) => a.time - b.time),
      ),
    );
    const holders = () => Promise.reject(new ReadFailedError('timeout'));
    const report = await ask(steps, { replaced: { tokens: { ...tokens, holders } } });
    expect(report).toMatchObject({ scope: 'partial', supplyRaw: null, holders: null });
    expect(report.gaps.join()).toContain('too many holders to count in time');
    expect(report.totals.shareHeld).toBeNull();
    expect(kindsOf(report)).toMatchObject({ ann: ['shared_funder'], bea: ['shared_funder'] });
  });

  test('that time cut is partial, says how far it came, and holds what was found until then', async () => {
    const many = Array.from({ length: TRANSACTIONS_AT_ONCE + 1 }, (_, index) =>
      buys(index < 3 ? index : 40, `b${index}`, 1n),
    );
    const steps = [create, ...many, later];
    const cases = createMemoryCaseReader(
      tellStory(
        'ethereum',
        steps.toSorted((a, b) => a.time - b.time),
      ),
    );
    let nowUnixMs = 0;
    const report = await ask(steps, {
      replaced: {
        clock: { nowUnixMs: () => nowUnixMs },
        cases: {
          ...cases,
          movementsAt: (...asked) => {
            nowUnixMs += TIME_BUDGET_MS - TELLING_RESERVE_MS;
            return cases.movementsAt(...asked);
          },
        },
      },
    });
    expect(report.scope).toBe('partial');
    expect(report.gaps.join()).toContain(`after ${TRANSACTIONS_AT_ONCE} of`);
    expect(Object.keys(kindsOf(report))).toContain('b1');
  });

  test('no time for the first transactions is a failure, and never a token that nobody moved', async () => {
    const steps = [create, buys(10, 'ann', 1n), later];
    const tokens = createMemoryTokenReader(tellStory('ethereum', steps));
    let nowUnixMs = 0;
    const asked = ask(steps, {
      replaced: {
        clock: { nowUnixMs: () => nowUnixMs },
        tokens: {
          ...tokens,
          tokenMovements: (...asked) => {
            nowUnixMs += TIME_BUDGET_MS - TELLING_RESERVE_MS;
            return tokens.tokenMovements(...asked);
          },
        },
      },
    });
    await expect(asked).rejects.toMatchObject({ code: 'timeout' });
  });
});
