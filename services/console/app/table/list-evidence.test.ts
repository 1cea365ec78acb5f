import { expect, test } from 'vitest';
import { madeFlow } from '../../../testing/console/made-flow.ts';
import { drawPicture } from '../flow/picture.ts';
import { listEvidence } from './list-evidence.ts';

test('a payment that carried none of the money still shows what it was worth', () => {
  const made = madeFlow([
    { from: 'a', to: 'b', raw: 2_000_000_000n },
    { from: 'a', to: 'c', raw: 1_000_000_000n },
    { from: 'b', to: 'c', raw: 0n },
  ]);
  const edges = made.edges.map((edge) => ({
    ...edge,
    transactions: [{ signature: `${edge.from}${edge.to}`, amount: 3, amount_raw: '3000000000', time: 1 }],
  }));
  const shown = (flow: typeof made) =>
    listEvidence(drawPicture([{ flow, from: null }])).map(({ hash, usd }) => [hash, usd]);
  expect(shown({ ...made, edges })).toEqual([
    ['ab', 3],
    ['ac', 3],
    ['bc', 3],
  ]);
  const unpriced = made.nodes.map((node) => ({ ...node, usd: null }));
  expect(shown({ ...made, edges, nodes: unpriced }).map(([, usd]) => usd)).toEqual([null, null, null]);
});
