import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { askTrace, deposit, GAS, later, NOTE, OTHER_POOL, POOL, T, USDC } from '../../testing/trace-story.ts';
import type { Service } from '../model/trace-reader.ts';

const services = new Map<string, Service>([
  ...[POOL, OTHER_POOL],
  ['router', POOL[1]],
  ['box', { entity: 'ex', kind: 'exchange' }],
]);
const labels = new Map([['box', { name: 'ex deposit', kind: 'exchange' as const }]]);
const UNLISTED = '0x00000000000000000000000000000000000000fa';

const PEOPLE = ['ann', 'bob', 'cyd', 'dan', 'hub', 'shop'];
const person = fc.constantFrom(...PEOPLE);
const stranger = fc.constantFrom('x', 'y');
const time = fc.integer({ min: T - 80_000, max: T + 80_000 });

const payment = fc
  .record({ from: person, to: fc.constantFrom(...PEOPLE, 'box'), time })
  .map(({ from, to, time }): StoryStep => ({ time, moves: [move(from, to, GAS)] }));
const note = fc
  .record({
    path: fc.constantFrom<readonly string[]>(['pool'], ['pool-10'], ['router', 'pool']),
    person,
    isIn: fc.boolean(),
    time,
  })
  .map(({ path, person, isIn, time }): StoryStep => {
    const raw = path.includes('pool') ? NOTE : 10n * NOTE;
    const [from = '', ...tos] = isIn ? [person, ...path] : [...path.toReversed(), person];
    return { time, moves: tos.map((to, index) => move(tos[index - 1] ?? from, to, raw)) };
  });
const dust = fc
  .record({
    ends: fc.oneof(
      fc.tuple(stranger, fc.constantFrom(...PEOPLE, ...services.keys())),
      fc.tuple(person, fc.oneof(stranger, person)),
    ),
    asset: fc.constantFrom('native', USDC, UNLISTED),
    time,
  })
  .map(({ ends: [from, to], asset, time }): StoryStep => ({ time, moves: [move(from, to, 1n, { asset })] }));

const named = (steps: readonly StoryStep[], name: string): StoryStep[] =>
  steps.map((step, index) => ({ hash: `${name}-${index}`, ...step }));
const crowd = Array.from(
  { length: 12 },
  (_, index): StoryStep => ({ time: T - 90_000 + index, moves: [move(`payer-${index}`, 'pool', NOTE)] }),
);

const RUNS = { numRuns: 300, seed: 20_261_123 };
const SIDES = [
  ['out', deposit],
  ['in', { time: T, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] }],
] as const;
const stories = (anchor: StoryStep) =>
  fc
    .tuple(fc.array(payment, { maxLength: 14 }), fc.array(note, { minLength: 3, maxLength: 12 }))
    .map((steps) => [...named([...crowd, ...steps.flat()], 'tx'), anchor, later]);
const tracedOf = (story: readonly StoryStep[], direction: 'in' | 'out') =>
  askTrace(story, { direction }, { services, labels });

test.each(SIDES)(
  'whatever dust anybody sends to anybody, a trace of what goes %s answers the same',
  async (direction, anchor) => {
    let tied = 0;
    const told = async (story: readonly StoryStep[]) => {
      const answer = await tracedOf(story, direction);
      // Since when a wallet is known is no evidence, and dust tells it too.
      const candidates = answer.candidates.map((one) => ({ ...one, firstSeenUnixSeconds: null }));
      return { ...answer, candidates };
    };
    const some = fc.array(dust, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(stories(anchor), some, async (story, dusts) => {
        const clean = await told(story);
        tied += clean.candidates.filter(({ evidence }) => evidence.length > 0).length;
        expect(await told([...story, ...named(dusts, 'dust')])).toEqual(clean);
      }),
      RUNS,
    );
    expect(tied).toBeGreaterThan(50);
  },
);

test.each(SIDES)(
  'whoever did what, of what goes %s all that fits is counted once, and nobody is surer than his crowd without evidence',
  async (direction, anchor) => {
    await fc.assert(
      fc.asyncProperty(stories(anchor), async (story) => {
        const { window, anonymitySet, excluded, candidates } = await tracedOf(story, direction);
        expect(window.transactions).toBe(anonymitySet + excluded);
        expect(candidates.reduce((sum, { transfers }) => sum + transfers, 0)).toBe(anonymitySet);
        for (const { evidence, confidence, timeUnixSeconds } of candidates) {
          expect(confidence).toBeLessThanOrEqual(evidence.length === 0 ? 1 / anonymitySet : 0.999);
          expect(timeUnixSeconds).toBeGreaterThanOrEqual(window.fromUnixSeconds);
          expect(timeUnixSeconds).toBeLessThanOrEqual(window.toUnixSeconds);
        }
      }),
      RUNS,
    );
  },
);
