import { expect, onTestFinished, test } from 'vitest';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { consumeBatches } from './consume-batches.ts';
import { LogFileError } from './embedded/log-file-error.ts';
import { openEmbeddedLog } from './embedded/open-embedded-log.ts';
import type { Consumer, EventLog } from './event-log.ts';

const BYTES = 1 << 20;
const TOPIC = { name: 'plain', partitions: 1, retentionMs: -1 };

test.each(['start', 'poll', 'commit'] as const)(
  'a log that fails for a moment at a %s is asked again',
  async (where) => {
    const log = await openEmbeddedLog({
      ...{ folder: temporaryFolder(), topics: [TOPIC], maxQueuedBytes: BYTES, maxRecordBytes: BYTES },
    });
    onTestFinished(() => log.close());
    await log.append([{ topic: TOPIC.name, key: 'k', value: Buffer.from('a') }]);
    let isLeft = true;
    const fail = (at: string): void => {
      if (at !== where || !isLeft) return;
      isLeft = false;
      throw new LogFileError('log_disk_full', 'the disk is full');
    };
    const failing: Pick<EventLog, 'consume'> = {
      consume: async (request): Promise<Consumer> => {
        fail('start');
        const consumer = await log.consume(request);
        return {
          ...consumer,
          poll: async (asked) => {
            fail('poll');
            return consumer.poll(asked);
          },
          commit: async (commit) => {
            fail('commit');
            return consumer.commit(commit);
          },
        };
      },
    };
    const stopping = new AbortController();
    const waits: unknown[] = [];
    const taken: string[] = [];
    const onWait = (reason: unknown) => void waits.push(reason);
    const request = { group: 'group', topics: [TOPIC.name], signal: stopping.signal, onWait };
    const running = consumeBatches(failing, request, async (records) => {
      for (const { value } of records) taken.push(value.toString());
    });
    const committed = async () => (await log.commits('group')).map(({ offset }) => offset);
    await Promise.race([expect.poll(committed, PATIENCE).toEqual([1]), running]);
    stopping.abort();
    await running;
    expect(taken).toEqual(['a']);
    expect(waits).toMatchObject([{ code: 'log_disk_full' }]);
  },
);
