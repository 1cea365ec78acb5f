import type { AppendRecord, EventLog } from '../event-log.ts';
import type { Topic } from '../topics.ts';

/** A module of each engine exports this as `openForFaults`; `place` is what its `provision` gave. */
export type OpenForFaults = (place: string, topics: readonly Topic[]) => Promise<EventLog>;

export const FAULT_TOPICS: readonly Topic[] = [
  { name: 'plain', partitions: 1, retentionMs: -1 },
  { name: 'spread', partitions: 3, retentionMs: -1 },
];

/** Each group has one record in a topic and two in another; now and then one is large enough to span many pages. */
export const groupOf = (writer: string, number: number): AppendRecord[] => {
  const text = `${writer}:${number}`;
  const large = number % 17 === 0 ? Buffer.alloc(200_000, number) : Buffer.alloc(0);
  return [
    { topic: 'plain', key: writer, value: Buffer.from(text) },
    { topic: 'spread', key: text, value: Buffer.from(text), headers: { half: 'first' } },
    {
      topic: 'spread',
      key: `${text}+`,
      value: Buffer.concat([Buffer.from(`${text}|`), large]),
      headers: { half: 'second' },
    },
  ];
};

/** A record's writer and number, and whether the rest of its value is what it should be. */
export const parseValue = (value: Buffer): { writer: string; number: number; isWhole: boolean } => {
  const bar = value.indexOf('|');
  const text = value.subarray(0, bar === -1 ? value.length : bar).toString();
  const [writer = '', number = ''] = text.split(':');
  const own = groupOf(writer, Number(number)).at(bar === -1 ? 0 : 2)?.value ?? Buffer.alloc(0);
  return { writer, number: Number(number), isWhole: value.equals(own) };
};
