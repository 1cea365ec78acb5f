import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { askTrace, GAS, NOTE, T } from '../../testing/trace-story.ts';
import type { Trace } from './trace-answer.ts';

const HOUR = 3_600;
const WALLETS = ['ann', 'bea', 'cyd', 'hub'];
const wallet = fc.constantFrom(...WALLETS);
const anchor: StoryStep = { time: T, hash: 'anchor', by: 'ann', moves: [move('ann', 'pool', NOTE)] };
const step = fc.oneof(
  fc.record({ to: wallet, hours: fc.integer({ min: 1, max: 60 }) }).map(({ to, hours }) => ({
    ...{ time: T + hours * HOUR, by: 'relayer', moves: [move('pool', to, NOTE)] },
  })),
  fc
    .record({ from: wallet, to: wallet, hours: fc.integer({ min: -60, max: 60 }) })
    .filter(({ from, to, hours }) => from !== to && hours !== 0)
    .map(({ from, to, hours }) => ({ time: T + hours * HOUR + 7, by: from, moves: [move(from, to, GAS)] })),
);
const world = fc.array(fc.tuple(step, fc.boolean()), { minLength: 2, maxLength: 12 }).map((steps) =>
  [...new Map(steps.map((each) => [each[0].time, each])).values()].map(([told, isMissing], at) => ({
    step: { hash: `tx ${at}`, ...told } as StoryStep,
    isMissing,
  })),
);

/**
 * Who may have been it, of how many. Evidence names its transactions and counts in indexed blocks, and `first_seen` is the first
 * indexed transfer: each says of itself what it was seen in.
 */
const factsOf = ({ candidates, anonymitySet, candidatesTotal }: Trace) => ({
  ...{ anonymitySet, candidatesTotal },
  candidates: candidates.map(({ wallet: found, signature }) => `${found} ${signature}`).sort(),
});
test('without some blocks no trace is called full that the whole world contradicts', async () => {
  let [full, partial] = [0, 0];
  await fc.assert(
    fc.asyncProperty(world, async (steps) => {
      const ends = [{ time: T - 90 * 24 * HOUR }, { time: T + 30 * 24 * HOUR }].map(
        ({ time }, at): StoryStep => ({ time, hash: `end ${at}`, moves: [move('zed', 'yan', GAS)] }),
      );
      const all = [...ends, anchor, ...steps.map((each) => each.step)];
      const kept = [...ends, anchor, ...steps.filter(({ isMissing }) => !isMissing).map((each) => each.step)];
      const gone = steps.filter(({ isMissing }) => isMissing).map((each) => each.step.time);
      const gaps = gone.map((time) => ({ fromUnixSeconds: time - 1, toUnixSeconds: time + 1 }));
      const [whole, part] = [await askTrace(all), await askTrace(kept, {}, { gaps })];
      if (part.scope === 'full') {
        full += gone.length > 0 ? 1 : 0;
        expect(factsOf(part), `without blocks at ${gone}`).toEqual(factsOf(whole));
      } else partial += 1;
    }),
    { numRuns: 400 },
  );
  expect(
    [full, partial].every((count) => count > 10),
    `${full} full, ${partial} partial`,
  ).toBe(true);
});
