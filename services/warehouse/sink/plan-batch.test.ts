import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BlockHead } from '../../events/block-head.ts';
import { hashKey, type PlannedRecord, planBatch, readIntent, writeIntent } from './plan-batch.ts';

const METADATA_BYTES_MAX = 4_096;
const nothingStored = () => [];

/** A block that the tables show in one part. */
const only = (sequence: number) => [{ part: 0, parts: 1, sequence }];

const part = (offset: number, block: number, at = 0, of = 1): PlannedRecord => ({
  offset,
  sequence: offset,
  head: { chain: 'solana', blockNumber: block, blockHash: `hash${block}`, part: at, parts: of },
});

test('a batch never ends inside a block', () => {
  const records = [part(10, 1), part(11, 2, 0, 2), part(12, 2, 1, 2), part(13, 3, 0, 2)];
  expect(planBatch(records, nothingStored)?.intent).toEqual({ until: 13, skip: [] });
});

test('a run without one whole block plans nothing, so that more is read', () => {
  expect(planBatch([part(0, 1, 0, 3), part(1, 1, 1, 3)], nothingStored)).toBeNull();
});

test('a block that the tables hold, or that the run holds twice, is inserted once', () => {
  const stored = hashKey({ chain: 'solana', blockHash: 'hash1' });
  const storedAs = (head: BlockHead) => (hashKey(head) === stored ? only(99) : []);
  const plan = planBatch([part(0, 1), part(1, 2), part(2, 2)], storedAs);
  expect(plan).toMatchObject({ intent: { until: 3, skip: [0, 2] }, duplicates: 2, deadLetters: [] });
});

describe('a block that comes again in another number of parts is no new one', () => {
  const inTwo = (offset: number) => [part(offset, 1, 0, 2), part(offset + 1, 1, 1, 2)];

  const alone = (offset: number) => [part(offset, 1)];
  const two = [0, 1].map((at) => ({ part: at, parts: 2, sequence: 99 }));

  test.each([
    { held: 'one', first: alone(0), shown: only(99), again: inTwo(1), skip: [1, 2] },
    { held: 'two', first: inTwo(0), shown: two, again: alone(2), skip: [2] },
  ])('whether the tables or the same run hold it in $held', ({ first, shown, again, skip }) => {
    const intent = { until: 4, skip };
    expect(planBatch([...first, ...again, part(3, 2)], nothingStored)?.intent).toEqual(intent);
    const storedAs = (head: BlockHead) => (head.blockNumber === 1 ? shown : []);
    expect(planBatch([...again, part(3, 2)], storedAs)?.intent).toEqual(intent);
  });

  test('unless it was taken back', () => {
    const again = [{ offset: 7, retracts: [5] }, ...inTwo(8)];
    expect(planBatch(again, () => only(5))?.intent).toEqual({ until: 10, skip: [] });
    expect(planBatch(again, () => [...only(5), ...only(6)])?.intent).toEqual({ until: 10, skip: [8, 9] });
  });
});

describe('a block that was taken back is new when it comes again', () => {
  const storedAs5 = () => only(5);

  test('whether the tables hold it or the same run does', () => {
    const again = [{ offset: 7, retracts: [5] }, part(8, 1), { offset: 9, retracts: [8] }, part(10, 1)];
    expect(planBatch(again, storedAs5)).toMatchObject({ intent: { until: 11, skip: [] }, duplicates: 0 });
    expect(planBatch([part(4, 1), ...again], nothingStored)?.intent).toEqual({
      until: 11,
      skip: [8, 10],
    });
  });

  test('unless another event still shows it', () => {
    const plan = planBatch([{ offset: 7, retracts: [5] }, part(8, 1)], () => [...only(5), ...only(6)]);
    expect(plan?.intent).toEqual({ until: 9, skip: [8] });
  });

  test('and a run may end behind the retraction', () => {
    const run = [part(5, 1), { offset: 6, retracts: [5] }, part(7, 2, 0, 2)];
    expect(planBatch(run, nothingStored)?.intent).toEqual({ until: 7, skip: [] });
  });
});

test('a record that can never be stored is left out with its reason, and what follows goes on', () => {
  const plan = planBatch([part(0, 1), { offset: 1, refused: 'torn' }, part(2, 2)], nothingStored);
  expect(plan).toEqual({
    intent: { until: 3, skip: [1] },
    duplicates: 0,
    deadLetters: [{ offset: 1, reason: 'torn' }],
  });
});

test('an intent fits the metadata of one commit whatever is skipped, and reads back as it was written', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 3_000 }),
      fc.nat(2 ** 40),
      (isStored, first) => {
        const records = isStored.map((_, i) => part(first + i, i));
        const plan = planBatch(records, (head) => (isStored[head.blockNumber] ? only(1) : []));
        expect(plan).not.toBeNull();
        if (!plan) return;
        const metadata = writeIntent(plan.intent);
        expect(Buffer.byteLength(metadata)).toBeLessThan(METADATA_BYTES_MAX);
        expect(readIntent(metadata)).toEqual(plan.intent);
        const covered = records.filter((r) => r.offset < plan.intent.until);
        const expected = covered.filter((r) => isStored[r.offset - first]).map((r) => r.offset);
        expect(plan.intent.skip).toEqual(expected);
      },
    ),
  );
});

test('a finished batch leaves no intent', () => {
  expect(readIntent('')).toBeNull();
});
