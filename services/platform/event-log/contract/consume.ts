import type { Batch, Commit, Consumer, EventLog } from '../event-log.ts';

export const POLL = { maxBytes: 1_000_000, waitMs: 10_000 };
export const NO_WAIT = { maxBytes: 1_000_000, waitMs: 0 };

/** A member of the group called group, of topic one, unless it says otherwise. */
export const joinGroup = (
  log: EventLog,
  over: { group?: string; topics?: string[]; waitMs?: number } = {},
): Promise<Consumer> => log.consume({ group: 'group', topics: ['one'], ...over });

export const textsOf = (batch: Batch | null): string[] => batch?.records.map((r) => r.value.toString()) ?? [];

export const commitOf = (offset: number, over: Partial<Commit> = {}): Commit => ({
  topic: 'one',
  partition: 0,
  offset,
  metadata: '',
  ...over,
});

/** Polls until nothing more comes at once. */
export const drain = async (consumer: Consumer, maxBytes = 1_000_000): Promise<Batch[]> => {
  const batches: Batch[] = [];
  for (;;) {
    const batch = await consumer.poll({ maxBytes, waitMs: 300 });
    if (batch === null) return batches;
    batches.push(batch);
  }
};
