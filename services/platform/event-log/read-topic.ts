import type { EventLog, StoredRecord } from './event-log.ts';

const READ_BYTES = 4 << 20;

/**
 * All records that a topic contains now, a few megabytes at a time: one partition after the other, each in
 * its order.
 */
export async function* readTopic(log: EventLog, topic: string): AsyncGenerator<StoredRecord[]> {
  for (const { partition, begin, end } of await log.ranges(topic)) {
    for (let offset = begin; offset < end; ) {
      const records = await log.read({ topic, partition, offset, until: end, maxBytes: READ_BYTES });
      if (records.length === 0) break;
      yield records;
      offset = (records.at(-1)?.offset ?? offset) + 1;
    }
  }
}
