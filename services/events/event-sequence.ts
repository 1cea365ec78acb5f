import type { Position } from '../platform/event-log/event-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';

/** Partitions of all topics together stay below this; the offset is then exact up to 2^41 records. */
export const SEQUENCE_SLOTS = 4_096;

/** The same number for all events of a partition: the remainder of their sequences. */
export const sequenceSlotOf = ({ topic, partition }: Pick<Position, 'topic' | 'partition'>): number => {
  let first = 0;
  for (const { name, partitions } of TOPICS) {
    if (name === topic) return first + partition;
    first += partitions;
  }
  throw new RangeError(`topic ${topic} is not declared`);
};

const HISTORY = 'transfers.history';
/** Of the partitions of blocks that their chain never abandons. */
export const FINAL_SLOTS: ReadonlySet<number> = new Set(
  TOPICS.filter(({ name }) => name === HISTORY).flatMap(({ name, partitions }) =>
    Array.from({ length: partitions }, (_, partition) => sequenceSlotOf({ topic: name, partition })),
  ),
);

/**
 * One integer that names an event for ever: every row carries it, so that what a retracted event brought can be left
 * out. It rests on the order of `TOPICS` and on partition counts that never change: new topics are appended.
 */
export const sequenceOf = (position: Position): number =>
  position.offset * SEQUENCE_SLOTS + sequenceSlotOf(position);

/** Whether an event came by the topic of blocks that their chain never abandons. */
export const isFinal = (sequence: number): boolean => FINAL_SLOTS.has(sequence % SEQUENCE_SLOTS);
