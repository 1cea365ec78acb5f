import type { EventLog } from '../../platform/event-log/event-log.ts';

const TOPIC = 'dead-letters';
const READ_BYTES = 1 << 22;

export type Refusal = { readonly source: string; readonly reason: string };

/** New dead letters from these topics: records that were read from a file and then refused by the tables. */
export const watchRefusals = async (
  log: Pick<EventLog, 'ranges' | 'read'>,
  topics: readonly string[],
): Promise<() => Promise<readonly Refusal[]>> => {
  const begun = await log.ranges(TOPIC);
  return async () => {
    const refusals: Refusal[] = [];
    for (const { partition, end: begin } of begun) {
      const end = (await log.ranges(TOPIC)).find((range) => range.partition === partition)?.end ?? begin;
      for (let offset = begin; offset < end; ) {
        const records = await log.read({ topic: TOPIC, partition, offset, maxBytes: READ_BYTES });
        for (const { headers } of records) {
          const { source = '', reason = '' } = headers;
          if (topics.includes(source.split('/', 1)[0] ?? '')) refusals.push({ source, reason });
        }
        offset = (records.at(-1)?.offset ?? end) + 1;
      }
    }
    return refusals;
  };
};
