import { LogError, type PartitionRange, type Position } from './event-log.ts';

const READ_WITHIN_MS = 10_000;

type Place = Pick<Position, 'partition' | 'offset'>;

/** How far a topic has been read, and the callers that wait for a record of it. */
export const createReadProgress = (topic: string) => {
  const next = new Map<number, number>();
  /** Checks the waiting callers again whenever something was taken. */
  const waiting = new Set<{ look(): void; fail(error: LogError): void }>();
  const has = ({ partition, offset }: Place): boolean => (next.get(partition) ?? 0) > offset;

  return {
    /** The next record to read. */
    moveTo: ({ partition, offset }: Place): void => void next.set(partition, offset),
    hasAll: (ranges: readonly PartitionRange[]): boolean =>
      ranges.every(({ partition, begin, end }) => begin === end || has({ partition, offset: end - 1 })),
    /** Call this after something was taken. */
    tell: (): void => {
      for (const { look } of waiting) look();
    },
    /** Throws `LogError` when that takes longer than 10 s. */
    untilRead: async (position: Position): Promise<void> => {
      if (has(position)) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = setTimeout(
        () => reject(new LogError('not_read_back', `topic ${topic} was not read back in time`)),
        READ_WITHIN_MS,
      );
      const waiter = { look: () => has(position) && resolve(), fail: reject };
      waiting.add(waiter);
      await promise.finally(() => {
        clearTimeout(late);
        waiting.delete(waiter);
      });
    },
    stop: (): void => {
      for (const { fail } of waiting)
        fail(new LogError('not_read_back', `topic ${topic} is not followed any more`));
    },
  };
};
