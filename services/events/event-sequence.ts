import type { Position } from '../platform/event-log/event-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';

/** All topics together have fewer partitions than this; the offset is then exact up to 2^41 records. */
export const SEQUENCE_SLOTS = 4_096;

/** Equal for all events of a partition: the remainder of their sequences. */
export const sequenceSlotOf = ({ topic, partition }: Pick<Position, 'topic' | 'partition'>): number => {
  let first = 0;
  for (const { name, partitions } of TOPICS) {
    if (name === topic) return first + partition;
    first += partitions;
  }
  throw new RangeError(`topic ${topic} is not declared`);
};

const HISTORY = 'transfers.history';
/** Lanes of final blocks. */
export const FINAL_SLOTS: ReadonlySet<number> = new Set(
  TOPICS.filter(({ name }) => name === HISTORY).flatMap(({ name, partitions }) =>
    Array.from({ length: partitions }, (_, partition) => sequenceSlotOf({ topic: name, partition })),
  ),
);

/**
 * A permanent integer for an event. Every row carries it, so that rows of a retracted event can be left out. It
 * depends on the order of `TOPICS` and on fixed partition counts: append new topics at the end.
 */
export const sequenceOf = (position: Position): number =>
  position.offset * SEQUENCE_SLOTS + sequenceSlotOf(position);

/** Whether an event came from a topic of final blocks. */
export const isFinal = (sequence: number): boolean => FINAL_SLOTS.has(sequence % SEQUENCE_SLOTS);
