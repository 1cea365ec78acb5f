import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sequenceOf } from '../../events/event-sequence.ts';
import { type Progress, readProgress, writeProgress } from './intent.ts';
import { deadLettersOf, planBatch } from './plan-batch.ts';
import type { BlockPlace, PlannedRecord, Shown, StoredPart } from './planned-record.ts';

const METADATA_BYTES_MAX = 4_096;
const TIME = { timeUnixMs: 0 };
const ABANDONED = { abandoned: { chain: 'solana', blockNumber: 1, blockHash: 'hash1' } };

/** What tables show that hold these parts and nothing else. */
const showing = (partsAt: (place: BlockPlace) => readonly StoredPart[]): Shown => ({
  partsAt,
  aloneAt: () => [],
  isKeptFinal: () => false,
});
const nothingStored = showing(() => []);

const stored = (sequence: number, at = 0, of = 1): StoredPart => ({
  ...{ blockHash: 'hash1', part: at, parts: of, movements: 1, keepsControl: 0, sequence },
});
/** A block that the tables show in one part. */
const only = (sequence: number) => [stored(sequence)];

/** `movements` are those of the whole block. */
const part = (offset: number, block: number, at = 0, of = 1, timeUnixMs = 0): PlannedRecord => ({
  ...{
    offset,
    timeUnixMs,
    sequence: offset,
    movements: at === 0 ? 1 : 0,
    keepsControl: 0,
    lists: () => false,
  },
  head: { chain: 'solana', blockNumber: block, blockHash: `hash${block}`, part: at, parts: of },
});
const broken = (offset: number, timeUnixMs = 0): PlannedRecord => ({
  ...{ offset, timeUnixMs, refused: 'torn off' },
});
const intentOf = (records: readonly PlannedRecord[], shown = nothingStored) =>
  planBatch(records, shown)?.intent;
const refusedIn = (records: readonly PlannedRecord[]): number[] =>
  (planBatch(records, nothingStored)?.deadLetters ?? []).map(({ offset }) => offset);

test('a batch never ends inside a block', () => {
  const records = [part(10, 1), part(11, 2, 0, 2), part(12, 2, 1, 2), part(13, 3, 0, 2)];
  expect(planBatch(records, nothingStored)?.intent).toEqual({ until: 13, skip: [], carried: [] });
});

test('a run without one whole block plans nothing, so that more is read', () => {
  expect(planBatch([part(0, 1, 0, 3), part(1, 1, 1, 3)], nothingStored)).toBeNull();
});

test('a block that the tables hold, or that the run holds twice, is inserted once', () => {
  const shown = showing(({ blockNumber }) => (blockNumber === 1 ? only(99) : []));
  const plan = planBatch([part(0, 1), part(1, 2), part(2, 2)], shown);
  expect(plan).toMatchObject({ intent: { until: 3, skip: [0, 2] }, duplicates: 2, deadLetters: [] });
});

describe('a block that comes again in another number of parts is no new one', () => {
  const inTwo = (offset: number) => [part(offset, 1, 0, 2), part(offset + 1, 1, 1, 2)];

  const alone = (offset: number) => [part(offset, 1)];
  const two = [stored(99, 0, 2), { ...stored(99, 1, 2), movements: 0 }];

  test.each([
    { held: 'one', first: alone(0), shown: only(99), again: inTwo(1), skip: [1, 2] },
    { held: 'two', first: inTwo(0), shown: two, again: alone(2), skip: [2] },
  ])('whether the tables or the same run hold it in $held', ({ first, shown, again, skip }) => {
    const intent = { until: 4, skip, carried: [] };
    expect(planBatch([...first, ...again, part(3, 2)], nothingStored)?.intent).toEqual(intent);
    const held = showing(({ blockNumber }) => (blockNumber === 1 ? shown : []));
    expect(planBatch([...again, part(3, 2)], held)?.intent).toEqual(intent);
  });

  test('unless it was taken back', () => {
    const again = [{ ...TIME, offset: 7, ...ABANDONED, retracts: [5] }, ...inTwo(8)];
    expect(
      planBatch(
        again,
        showing(() => only(5)),
      )?.intent,
    ).toEqual({ until: 10, skip: [], carried: [] });
    expect(
      planBatch(
        again,
        showing(() => [...only(5), ...only(6)]),
      )?.intent,
    ).toEqual({ until: 10, skip: [8, 9], carried: [] });
  });
});

describe('a block that was taken back is new when it comes again', () => {
  const storedAs5 = showing(() => only(5));

  test('whether the tables hold it or the same run does', () => {
    const again = [
      { ...TIME, offset: 7, ...ABANDONED, retracts: [5] },
      part(8, 1),
      { ...TIME, offset: 9, ...ABANDONED, retracts: [8] },
      part(10, 1),
    ];
    expect(planBatch(again, storedAs5)).toMatchObject({ intent: { until: 11, skip: [] }, duplicates: 0 });
    expect(planBatch([part(4, 1), ...again], nothingStored)?.intent).toEqual({
      until: 11,
      skip: [8, 10],
      carried: [],
    });
  });

  test('unless another event still shows it', () => {
    const plan = planBatch(
      [{ ...TIME, offset: 7, ...ABANDONED, retracts: [5] }, part(8, 1)],
      showing(() => [...only(5), ...only(6)]),
    );
    expect(plan?.intent).toEqual({ until: 9, skip: [8], carried: [] });
  });

  test('and a run may end behind the retraction', () => {
    const run = [part(5, 1), { ...TIME, offset: 6, ...ABANDONED, retracts: [5] }, part(7, 2, 0, 2)];
    expect(planBatch(run, nothingStored)?.intent).toEqual({ until: 7, skip: [], carried: [] });
  });
});

test('a record that can never be stored is left out with its reason, and what follows goes on', () => {
  const plan = planBatch([part(0, 1), { ...TIME, offset: 1, refused: 'torn' }, part(2, 2)], nothingStored);
  expect(plan).toEqual({
    intent: { until: 3, skip: [1], carried: [] },
    hide: [],
    keep: [],
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
        const plan = planBatch(
          records,
          showing(({ blockNumber }) =>
            isStored[blockNumber] ? [{ ...stored(1), blockHash: `hash${blockNumber}` }] : [],
          ),
        );
        expect(plan).not.toBeNull();
        if (!plan) return;
        const progress = { carried: [], intent: plan.intent };
        const metadata = writeProgress(progress);
        expect(Buffer.byteLength(metadata)).toBeLessThan(METADATA_BYTES_MAX);
        expect(readProgress(metadata)).toEqual(progress);
        const covered = records.filter((r) => r.offset < plan.intent.until);
        const expected = covered.filter((r) => isStored[r.offset - first]).map((r) => r.offset);
        expect(plan.intent.skip).toEqual(expected);
      },
    ),
  );
});

test('a finished batch leaves no intent', () => {
  const finished: Progress = { carried: [], intent: null };
  expect(writeProgress(finished)).toBe('');
  expect(readProgress('')).toEqual(finished);
});

describe('a block of which a part can never be stored is refused as a whole', () => {
  const following = [part(3, 2), part(4, 3, 0, 2), part(5, 3, 1, 2)];

  test.each([
    ['first', [broken(0), part(1, 1, 1, 3), part(2, 1, 2, 3)]],
    ['middle', [part(0, 1, 0, 3), broken(1), part(2, 1, 2, 3)]],
    ['last', [part(0, 1, 0, 3), part(1, 1, 1, 3), broken(2)]],
  ])('where its %s part is broken, and its neighbours are not', (_, torn) => {
    expect(refusedIn([...torn, ...following])).toEqual([0, 1, 2]);
  });

  test('where a part is missing', () => {
    expect(refusedIn([part(0, 1, 0, 3), part(1, 1, 2, 3), part(2, 2)])).toEqual([0, 1]);
  });

  test('where its last part has not come after a million records', () => {
    const late = 1_000_001;
    const run = [part(0, 1, 0, 2), part(late - 1, 2), part(late, 3)];
    expect(refusedIn(run.slice(0, 2))).toEqual([]);
    expect(refusedIn(run)).toEqual([0]);
  });

  test('and a broken record between blocks harms none of them, nor the open block of another append', () => {
    expect(refusedIn([part(0, 1), broken(1), part(2, 2, 0, 2), part(3, 2, 1, 2)])).toEqual([1]);
    expect(refusedIn([part(0, 1, 0, 2, 7), broken(1, 8), part(2, 1, 1, 2, 7)])).toEqual([1]);
  });
});

describe('blocks whose parts take turns, as two processes append them to brokers,', () => {
  test('are both stored', () => {
    const run = [part(0, 1), part(1, 2, 0, 2), part(2, 3, 0, 2), part(3, 2, 1, 2), part(4, 3, 1, 2)];
    expect(planBatch(run, nothingStored)).toMatchObject({
      intent: { until: 5, skip: [], carried: [] },
      deadLetters: [],
    });
  });

  test('are stored once where they are the same block, each with the parts of one append', () => {
    const run = [part(0, 1, 0, 2, 7), part(1, 1, 0, 2, 8), part(2, 1, 1, 2, 8), part(3, 1, 1, 2, 7)];
    expect(intentOf(run)).toEqual({ until: 4, skip: [0, 3], carried: [] });
  });

  test('end a batch where none of them is open, or else carry what is open into the next', () => {
    const run = [part(0, 1, 0, 2), part(1, 2), part(2, 1, 1, 2), part(3, 3, 0, 2), part(4, 4)];
    expect(intentOf(run)).toEqual({ until: 3, skip: [], carried: [] });
    expect(intentOf(run.slice(0, 2))).toEqual({ until: 2, skip: [], carried: [0] });
    expect(intentOf([...run.slice(0, 1), ...run.slice(2, 3)])).toEqual({ until: 3, skip: [], carried: [] });
  });

  test('read on rather than carry more than a commit can say', () => {
    const turns = (count: number) =>
      Array.from({ length: count }, (_, i) => [part(2 * i, 1, i, 1_000), part(2 * i + 1, 2 + i)]).flat();
    const carried = intentOf(turns(400))?.carried ?? [];
    const intent = { until: 2 ** 40, skip: turns(100).map(({ offset }) => 2 ** 39 + 2 * offset), carried };
    expect(carried.length).toBe(40);
    expect(Buffer.byteLength(writeProgress({ carried, intent }))).toBeLessThan(METADATA_BYTES_MAX);
  });
});

describe('of a block that comes twice that copy stands of which more movements are known', () => {
  const known = (record: PlannedRecord, movements: number): PlannedRecord =>
    record.head ? { ...record, movements } : record;

  test('whichever comes first', () => {
    const [few, many] = [known(part(0, 1), 2), known(part(1, 1), 6)];
    expect(planBatch([few, many], nothingStored)).toMatchObject({ intent: { skip: [0] }, hide: [] });
    const swapped = [
      { ...many, offset: 0 },
      { ...few, offset: 1 },
    ];
    expect(planBatch(swapped, nothingStored)).toMatchObject({ intent: { skip: [1] }, hide: [] });
    expect(
      planBatch(
        [many],
        showing(() => only(5)),
      ),
    ).toMatchObject({ intent: { skip: [] }, hide: [5] });
    const shown = showing(() => [{ ...stored(5), movements: 7 }]);
    expect(planBatch([many], shown)).toMatchObject({ intent: { skip: [1] }, hide: [] });
  });

  test('or of as many that copy which keeps more control events', () => {
    const kept = (record: PlannedRecord, keepsControl: number): PlannedRecord =>
      record.head ? { ...record, keepsControl } : record;
    const [old, now] = [part(0, 1), kept(part(1, 1), 2)];
    expect(planBatch([old, now], nothingStored)).toMatchObject({ intent: { skip: [0] }, hide: [] });
    const older = showing(() => only(5));
    expect(planBatch([now], older)).toMatchObject({ intent: { skip: [] }, hide: [5] });
    const shown = showing(() => [{ ...stored(5), keepsControl: 2 }]);
    for (const record of [old, now, kept(part(1, 1), 1)])
      expect(planBatch([record], shown)).toMatchObject({ hide: [] });
    const traced = known(part(1, 1), 7);
    expect(planBatch([traced], shown)).toMatchObject({ intent: { skip: [] }, hide: [5] });
  });

  test('and one that the tables show in part is replaced', () => {
    const shown = showing(() => [stored(5, 0, 2)]);
    expect(planBatch([part(7, 1, 0, 2), part(8, 1, 1, 2)], shown)).toMatchObject({
      intent: { skip: [] },
      hide: [5],
    });
  });
});

test('of two blocks that are both said to be final in one place the first stands, and the other is a dead letter', () => {
  const history = (offset: number, blockHash: string): PlannedRecord => {
    const sequence = sequenceOf({ topic: 'transfers.history', partition: 0, offset });
    const head = { chain: 'solana', blockNumber: 1, blockHash, part: 0, parts: 1 };
    return { ...TIME, offset, sequence, movements: 1, keepsControl: 0, lists: () => false, head };
  };
  const records = [history(0, 'one'), history(1, 'another'), history(2, 'one')];
  const letters = [{ offset: 1, reason: expect.stringContaining('both are said to be final') }];
  expect(planBatch(records, nothingStored)).toMatchObject({
    intent: { until: 3, skip: [1, 2] },
    duplicates: 1,
    deadLetters: letters,
  });
  // The same after a crash between the insert and its dead letters.
  const { sequence } = history(0, 'one') as { sequence: number };
  const shown = showing(() => [{ ...stored(sequence), blockHash: 'one' }]);
  expect(deadLettersOf(records, shown)).toEqual(letters);
});
