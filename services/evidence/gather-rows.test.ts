import { expect, test } from 'vitest';
import { EvidenceTooLargeError, gatherRows, type ReadRows } from './gather-rows.ts';

const answer = {
  chain: 'ethereum',
  hops: Array.from({ length: 501 }, (_, n) => ({ signature: `0x${String(n).padStart(64, '0')}` })),
};
const signal = new AbortController().signal;

/** Two queries, three movements each. */
const gather = (rowsMax: number) => {
  const asked: number[] = [];
  const readRows: ReadRows = async (chain, [transaction = ''], limits) => {
    asked.push(limits.rowsMax);
    return [0, 1, 2].map((index) => ({
      ...{ chain, transaction, index, block: 1, block_hash: '0x1', time: 1, kind: 'transfer' as const },
      ...{ from: 'ann', to: 'bob', asset: 'native', amount_raw: '1' },
    }));
  };
  return { asked, gathered: gatherRows(answer, { readRows, rowsMax }, signal) };
};

test('a case has a bound to all movements together, whatever the number of queries', async () => {
  const whole = gather(6);
  expect((await whole.gathered).rows).toHaveLength(6);
  expect(whole.asked).toEqual([6, 3]);
  await expect(gather(5).gathered).rejects.toThrow(EvidenceTooLargeError);
});
