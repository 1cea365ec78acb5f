import { expect, test } from 'vitest';
import { createTemporaryLogs } from './embedded/temporary-log.ts';
import { followTopic } from './follow-topic.ts';

const KEPT_MS = 60_000;
let nowUnixMs = 1_000_000;
const { open } = createTemporaryLogs({
  topics: [{ name: 'brief', partitions: 2, retentionMs: KEPT_MS }],
  ...{ maxQueuedBytes: 1_000_000, maxRecordBytes: 1_000_000, clock: { nowUnixMs: () => nowUnixMs } },
});

test('a topic whose records are forgotten while it is first read is followed, and what comes then is taken', async () => {
  const log = await open();
  const record = (text: string) => ({ topic: 'brief', key: text, value: Buffer.from(text) });
  await log.append([record('old')]);
  const taken: string[] = [];
  const followed = await followTopic({
    ...{ log, topic: 'brief', onError: (error) => expect.unreachable(String(error)) },
    take: ({ value }) => void taken.push(value.toString()),
    startAt: async ({ begin }) => {
      nowUnixMs += KEPT_MS + 1;
      await log.enforceRetention();
      return begin;
    },
  });
  const [position] = await log.append([record('new')]);
  if (position) await followed.untilRead(position);
  expect(taken).toEqual(['new']);
  await followed.stop();
});
