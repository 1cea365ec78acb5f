import fc from 'fast-check';
import { expect, test } from 'vitest';
import { followWith, toFollowRequest } from '../../testing/ask-follow.ts';
import { startAt, toFlowRequest } from '../../testing/ask-graph.ts';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { follow } from './follow.ts';
import { followGraph } from './graph/follow-graph.ts';
import type { Trail } from './trail.ts';

const SOL = 10n ** 9n;
const LABELS = new Map([['desk', { name: 'Desk', kind: 'exchange' as const }]]);
const wallet = fc.constantFrom('alice', 'bob', 'cyd', 'dan', 'desk');
const step = fc.record({
  ...{ from: wallet, to: wallet, units: fc.bigInt(1n, 9n), seconds: fc.constantFrom(1, 60, 3_600, 90_000) },
  /** Often none is missing behind the first few, so that something can be told. */
  isMissing: fc.nat(4).map((one) => one === 0),
});
const world = fc.array(step, { minLength: 3, maxLength: 12 }).map((steps) => {
  let time = 1_500_000_000;
  return steps
    .filter(({ from, to }) => from !== to)
    .map(({ from, to, units, seconds, isMissing }) => {
      time += seconds;
      return { step: { time, moves: [move(from, to, units * SOL)] } as StoryStep, isMissing };
    });
});

/** What a trail tells as facts. */
const factsOf = ({ hops, end }: Trail) => ({
  hops: hops.map(({ from, to, share, transactions }) => [
    ...[from, to, share],
    ...transactions.map(({ signature, amountRaw }) => `${signature} ${amountRaw}`),
  ]),
  end: [end.reason, end.address, end.why.type],
});
const holdingOf = ({ end }: Trail) => ('holdingRaw' in end ? end.holdingRaw : null);

test('without some blocks no trail is called complete that the whole world contradicts, and no balance is told', async () => {
  let [complete, partial, mixed] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(world, wallet, fc.boolean(), fc.nat(11), async (steps, start, backward, since) => {
      const all = steps.map((each) => each.step);
      const kept = steps.filter(({ isMissing }) => !isMissing).map((each) => each.step);
      const last = steps.findLast(({ isMissing }) => isMissing)?.step.time;
      const atUnixSeconds = steps[since]?.step.time ?? null;
      const ask = (told: readonly StoryStep[], indexed: { readonly indexedSince?: number }) =>
        follow(
          toFollowRequest({ start, backward, atUnixSeconds }),
          followWith(createMemoryReader(tellStory('solana', told), { labels: LABELS, ...indexed })),
        );
      const whole = await ask(all, {});
      const part = await ask(kept, last === undefined ? {} : { indexedSince: last + 1 });
      const [told, is] = [factsOf(part), factsOf(whole)];
      // An end without data tells that it does not know.
      const isUnknown = part.end.reason === 'no_data';
      const truth = isUnknown ? { hops: is.hops.slice(0, told.hops.length), end: told.end } : is;
      // What arrived is held to have left before what the wallet may have had: a trail says so by its shares.
      const hadBefore = steps.some(
        ({ step: { moves = [] }, isMissing }) =>
          isMissing && moves.some(({ to }) => part.hops.some(({ from }) => from === to)),
      );
      if (part.isComplete && !backward && hadBefore) mixed += 1;
      else if (part.isComplete) {
        complete += last === undefined ? 0 : 1;
        expect(told, `without blocks up to ${last}`).toEqual(truth);
      } else partial += 1;
      if (holdingOf(part) !== null) expect(holdingOf(part)).toBe(holdingOf(whole));
      if (last === undefined) expect(factsOf(part)).toEqual(factsOf(whole));
    }),
    { numRuns: 1_000 },
  );
  expect([complete > 10, partial > 10, mixed < complete]).toEqual([true, true, true]);
}, 120_000);

test('where more left a wallet than had arrived, trail and graph are whole only if its earlier receipts are read', async () => {
  const T = 1_500_000_000;
  const paying = (units: bigint): StoryStep[] => [
    { time: T, moves: [move('alice', 'bob', 2n * SOL)] },
    { time: T + 60, moves: [move('bob', 'cyd', units * SOL)] },
  ];
  const areComplete = async (units: bigint, indexed: { readonly indexedSince?: number }) => {
    const reader = createMemoryReader(tellStory('solana', paying(units)), { labels: LABELS, ...indexed });
    const trail = await follow(toFollowRequest({ start: 'alice', atUnixSeconds: T }), followWith(reader));
    const starts = [{ ...startAt('alice'), atUnixSeconds: T }];
    const graph = await followGraph(toFlowRequest({ starts }), followWith(reader));
    return [trail.isComplete, graph.isComplete];
  };
  const late = { indexedSince: T };
  expect(await areComplete(3n, late)).toEqual([false, false]);
  expect(await areComplete(2n, late)).toEqual([true, true]);
  expect(await areComplete(3n, {})).toEqual([true, true]);
});
