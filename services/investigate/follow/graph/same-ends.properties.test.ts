import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask } from '../../../testing/ask-follow.ts';
import { askGraph, startAt } from '../../../testing/ask-graph.ts';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { sumOf, toWholeUnits } from '../../model/amount.ts';
import { type Branch, branchesOf, type FollowRequest } from '../trail.ts';

/** How a wallet pays another within one transaction. Contracts have names that begin with `via`. */
const WAYS = {
  straight: (from, to, raw) => [move(from, to, raw)],
  'through a contract': (from, to, raw, via) => [move(from, via, raw), move(via, to, raw)],
  'through two contracts': (from, to, raw, via) => [
    ...[move(from, via, raw), move(via, `${via}+`, raw), move(`${via}+`, to, raw)],
  ],
  'less a fee': (from, to, raw, via) => [move(from, via, raw), move(via, to, raw - raw / 50n)],
  'and another': (from, to, raw, via) => [
    ...[move(from, via, raw), move(via, to, raw - raw / 5n), move(via, `${to}, another`, raw / 5n)],
  ],
  'with change': (from, to, raw, via) => [
    ...[move(from, via, raw + raw / 3n), move(via, from, raw / 3n), move(via, to, raw)],
  ],
  'beside a round': (from, to, raw, via) => [
    ...[move(from, via, 2n * raw), move(via, from, 2n * raw), move(from, to, raw)],
  ],
  sold: (from, to, raw, via) => [
    ...[move(from, via, raw), move(via, `pool ${to}`, raw), move(`pool ${to}`, from, 5n, { asset: 'mint' })],
  ],
} satisfies Record<string, (from: string, to: string, raw: bigint, via: string) => ReturnType<typeof move>[]>;
type Way = keyof typeof WAYS;

type Tree = { readonly below: readonly { readonly way: Way; readonly part: number; readonly tree: Tree }[] };
const RUNS = { numRuns: 150 };

const way = fc.constantFrom(...(Object.keys(WAYS) as Way[]));
const treeOf = (depth: number): fc.Arbitrary<Tree> =>
  depth === 0
    ? fc.constant({ below: [] })
    : fc.record({
        below: fc.array(fc.record({ way, part: fc.constantFrom(1, 1, 2, 7), tree: treeOf(depth - 1) }), {
          maxLength: 3,
        }),
      });

/** A trail does not look for change and sales beside its main stream, and who asks on from there is told of the pool. */
const ONLY_ALONE: ReadonlySet<Way> = new Set(['with change', 'beside a round', 'sold']);

type Told = { readonly story: readonly StoryStep[]; readonly ends: readonly string[] };
type Telling = { readonly isBusy: boolean };

/** Every wallet is paid once and pays on all that it got, or keeps it. Where contracts are busy, strangers use them too. */
const tell = ({ below }: Tree, { isBusy }: Telling): Told => {
  const steps: StoryStep[] = [];
  const ends: string[] = [];
  let time = 10;
  const pay = (payer: string, raw: bigint, branches: Tree['below']): void => {
    if (branches.length === 0) ends.push(`at_rest ${payer}`);
    const parts = BigInt(branches.reduce((sum, { part }) => sum + part, 0));
    for (const [at, { part, tree, ...chosen }] of branches.entries()) {
      const way = mayBe(chosen.way, { isBusy, isAlone: branches.length === 1 });
      const [payee, partRaw] = [`${payer}.${at}`, (raw * BigInt(part)) / parts];
      time += 10;
      const via = isBusy ? `via ${steps.length % 3}` : `via ${payee}`;
      const moves = WAYS[way](payer, payee, partRaw, via);
      const others = [move(`c${time}`, via, partRaw), move(via, `c${time}'`, partRaw)];
      steps.push({ time, by: payer, moves });
      if (isBusy) steps.push({ time: time + 5, by: `c${time}`, moves: others });
      if (way === 'and another') ends.push(`at_rest ${payee}, another`);
      if (way === 'sold') ends.push(`dex_swap ${payer}`);
      else pay(payee, sumOf(moves.filter(({ to }) => to === payee)), tree.below);
    }
  };
  const raw = 1_000_000_000_000n;
  pay('ann', raw, below);
  return { story: [{ time: 10, moves: [move('victim', 'ann', raw)] }, ...steps], ends: [...new Set(ends)] };
};

const mayBe = (way: Way, { isBusy, isAlone }: Telling & { readonly isAlone: boolean }): Way =>
  !isBusy && !isAlone && ONLY_ALONE.has(way) ? 'straight' : way;

/** Of one trail after the other, each branch asked for by itself. */
const endsOfTrails = async (
  story: readonly StoryStep[],
  asked: Pick<FollowRequest, 'start' | 'counterparty'> & Partial<Omit<FollowRequest, 'chain'>>,
): Promise<string[]> => {
  const { hops, end } = await ask(story, { ...asked, maxHops: 50 });
  const branches = [...hops.flatMap(({ others }) => others), ...branchesOf(end)];
  const ends = end.reason === 'split' ? [] : [`${end.reason} ${end.address}`];
  for (const branch of branches) ends.push(...(await endsOfTrails(story, goOn(branch))));
  return ends;
};

const goOn = ({ from, to, amountRaw, sinceUnixSeconds }: Branch) => ({
  ...{ start: to, counterparty: from, atUnixSeconds: sinceUnixSeconds },
  amount: toWholeUnits(amountRaw, 9),
});

const start = { ...startAt('ann'), counterparty: 'victim' };
/** Without what contracts kept, which only the whole flow tells. */
const endsOfFlow = async (story: readonly StoryStep[]): Promise<string[]> => {
  const { ends } = await askGraph(story, { starts: [start] });
  return ends
    .filter(({ address }) => !address.startsWith('via'))
    .map(({ reason, address }) => `${reason} ${address}`);
};

test('money that only splits ends for the whole flow where one trail after the other ends', async () => {
  await fc.assert(
    fc.asyncProperty(treeOf(4), async (tree) => {
      const { story } = tell(tree, { isBusy: false });
      const trails = await endsOfTrails(story, start);
      expect((await endsOfFlow(story)).sort()).toEqual([...new Set(trails)].sort());
    }),
    RUNS,
  );
});

test('contracts that serve strangers too lead the whole flow to nobody but who got the money', async () => {
  await fc.assert(
    fc.asyncProperty(treeOf(4), async (tree) => {
      const { story, ends } = tell(tree, { isBusy: true });
      expect((await endsOfFlow(story)).sort()).toEqual(ends.toSorted());
    }),
    RUNS,
  );
});

test('trail and flow say the same amount of a payment, though a sender on the way added its own money', async () => {
  const ofTheft = [move('ann', 'bea', 100n), move('bea', 'cyd', 125n), move('cyd', 'dan', 110n)];
  const story: StoryStep[] = [
    { time: 5, moves: [move('own', 'bea', 25n)] },
    ...ofTheft.map((moved, at) => ({ time: 100 * (at + 1), moves: [moved] })),
  ];
  const { hops } = await ask(story, { start: 'ann' });
  const { edges } = await askGraph(story);
  const told = (of: readonly { from: string; to: string; tracedRaw: bigint }[]) =>
    of.map(({ from, to, tracedRaw }) => `${from} ${to} ${tracedRaw}`).sort();
  expect(told(hops)).toEqual(['ann bea 100', 'bea cyd 100', 'cyd dan 88']);
  expect(told(edges)).toEqual(told(hops));
});
