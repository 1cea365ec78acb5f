import { expect, test } from 'vitest';
import { createRandom } from '../../services/demo-world/random.ts';
import { drawDecoys } from './draw-decoys.ts';

test.each([1, 2, 3, 6, 10])(
  'of %i decoys a transfer as many pass through receivers as through senders',
  (count) => {
    const transfers = Array.from({ length: 100 }, (_, at) => ({
      ...{ timeUnixSeconds: 1_000 + at, txHash: `theft ${at}`, amountRaw: 100n },
      ...{ from: 'thief', to: `end ${at}` },
    }));
    const decoys = drawDecoys({ transfers }, count, createRandom(1));
    const atSenders = decoys.filter(({ from, to }) => from === 'thief' || to === 'thief');
    expect(decoys).toHaveLength(100 * count);
    expect(atSenders).toHaveLength(50 * count);
  },
);
