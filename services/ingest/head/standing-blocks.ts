import { createEventReader, type TransferEvent } from '../../events/read-event.ts';
import type { SchemaRegistry } from '../../platform/avro/local-registry.ts';
import type { EventLog, Position, StoredRecord } from '../../platform/event-log/event-log.ts';

/** The partition holds another chain's events: an operator must look. */
export class ForeignEventError extends Error {
  readonly code = 'foreign_event';
  constructor({ topic, partition, offset }: Position, chain: string) {
    super(`record ${offset} of ${topic}/${partition} is no event of ${chain}`);
    this.name = 'ForeignEventError';
  }
}

/** A valid block of the log, and the offsets of its parts, ascending. */
export type StandingBlock = {
  readonly number: number;
  readonly hash: string;
  readonly offsets: readonly number[];
};

export type ChainPartition = {
  readonly log: EventLog;
  readonly registry: SchemaRegistry;
  readonly topic: string;
  readonly partition: number;
  readonly chain: string;
};

// Records are below 1 MB each: this many are held at a time.
const READ_RECORDS = 16;
const READ_BYTES = 16 << 20;

/**
 * A chain's valid blocks by its log, newest first. This is the only authority on the progress of ingestion.
 * Unreadable records are skipped, because the sink sets them aside as well. Throws `ForeignEventError` if the
 * partition holds another chain's events.
 */
export async function* standingBlocks(at: ChainPartition): AsyncGenerator<StandingBlock, undefined> {
  const readEvent = createEventReader(at.registry);
  const retracted = new Set<number>();
  let block: StandingBlock | null = null;
  for await (const record of recordsFromEnd(at)) {
    const event = await readEvent(record.value);
    if (event.type === 'unreadable') continue;
    if (!isOf(at.chain, event)) throw new ForeignEventError(record, at.chain);
    if (event.type === 'retraction') for (const offset of event.retraction.offsets) retracted.add(offset);
    if (event.type !== 'block' || retracted.has(record.offset)) continue;
    const { blockNumber: number, blockHash: hash } = event.head;
    const parts: readonly number[] = block?.hash === hash ? block.offsets : [];
    if (block && block.hash !== hash) yield block;
    block = { number, hash, offsets: [record.offset, ...parts] };
  }
  if (block) yield block;
}

const isOf = (chain: string, event: TransferEvent): boolean =>
  (event.type === 'block' && event.head.chain === chain) ||
  (event.type === 'retraction' && event.retraction.chain === chain);

async function* recordsFromEnd({ log, topic, partition }: ChainPartition): AsyncGenerator<StoredRecord> {
  const range = (await log.ranges(topic)).find((r) => r.partition === partition);
  for (let until = range?.end ?? 0, begin = range?.begin ?? 0; until > begin; ) {
    const from = Math.max(begin, until - READ_RECORDS);
    const records: StoredRecord[] = [];
    for (let offset = from; offset < until; offset = (records.at(-1)?.offset ?? offset) + 1) {
      const more = await log.read({ topic, partition, offset, until, maxBytes: READ_BYTES });
      // Engines may use offsets for themselves: a stretch without records is not the end.
      if (more.length === 0) break;
      records.push(...more);
    }
    yield* records.reverse();
    until = from;
  }
}
