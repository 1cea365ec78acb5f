import type { Position } from '../platform/event-log/event-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';

// Partitions of all topics together stay below this; the offset is then exact up to 2^41 records.
const SLOTS = 4_096;

const slotOf = ({ topic, partition }: Pick<Position, 'topic' | 'partition'>): number => {
  let first = 0;
  for (const { name, partitions } of TOPICS) {
    if (name === topic) return first + partition;
    first += partitions;
  }
  throw new RangeError(`topic ${topic} is not declared`);
};

/**
 * One integer that names an event for ever: every row carries it, so that what a retracted event brought can be left
 * out. It rests on the order of `TOPICS` and on partition counts that never change: new topics are appended.
 */
export const sequenceOf = (position: Position): number => position.offset * SLOTS + slotOf(position);
