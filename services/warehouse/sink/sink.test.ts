import { expect, test } from 'vitest';
import type { Commit, Consumer, EventLog, StoredRecord } from '../../platform/event-log/event-log.ts';
import { writeProgress } from './intent.ts';
import { runSink } from './sink.ts';

const at = { topic: 'transfers.history', partition: 0 };
const unused = (): never => {
  throw new Error('not called here');
};

test('a batch of very many tiny records that a kill cut off is finished by the next sink', async () => {
  const count = 150_000;
  const records: StoredRecord[] = Array.from({ length: count }, (_, offset) => ({
    ...{ ...at, offset, key: '', value: Buffer.from([1]), headers: {}, timeUnixMs: 0 },
  }));
  const skip = records.map(({ offset }) => offset);
  const commits: Commit[] = [];
  const stopping = new AbortController();
  const consumer: Consumer = {
    resumedFrom: [
      {
        ...at,
        offset: 0,
        metadata: writeProgress({ carried: [], intent: { until: count, skip, carried: [] } }),
      },
    ],
    poll: async () => {
      stopping.abort();
      return null;
    },
    seek: () => {},
    commit: async (commit) => void commits.push(commit),
    transact: unused,
    close: async () => {},
  };
  let deadLetters = 0;
  const log: EventLog = {
    ...{ consume: async () => consumer, read: async () => records, ranges: unused, commits: unused },
    ...{ forgetGroup: unused, close: unused },
    append: async () => {
      deadLetters += 1;
      return [];
    },
  };
  const target = { insert: unused, findShown: unused };
  const registry = { register: unused, schemaOf: unused };
  await runSink(
    {
      ...{ log, registry, group: 'sink', topics: [at.topic], batchBytesMax: 1 << 30, lingerMs: 0 },
      target: { ...target, hideRetracted: unused, keepFinal: unused, deleteRetracted: async () => 0 },
      events: { inserted: () => {}, deadLetter: () => {}, waiting: unused },
      hurry: stopping.signal,
    },
    stopping.signal,
  );
  expect(deadLetters).toBe(count);
  const finished = { ...at, offset: count, metadata: '' };
  // The second proves that the group is still held, before anything hidden is deleted.
  expect(commits).toEqual([finished, finished]);
});
