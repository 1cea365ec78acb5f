import { createEventReader, type TransferEvent } from '../../events/read-event.ts';
import type { SchemaRegistry } from '../../platform/avro/local-registry.ts';
import type { EventLog, Position, StoredRecord } from '../../platform/event-log/event-log.ts';

/** The partition of a chain holds what another one wrote: somebody must look. */
export class ForeignEventError extends Error {
  readonly code = 'foreign_event';
  constructor({ topic, partition, offset }: Position, chain: string) {
    super(`record ${offset} of ${topic}/${partition} is no event of ${chain}`);
    this.name = 'ForeignEventError';
  }
}

/** A block of the log that was not taken back, and where its parts stand, ascending. */
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

// Records are below 1 MB each: so many are held at a time.
const READ_RECORDS = 16;
const READ_BYTES = 16 << 20;

/**
 * The blocks of a chain as its log tells them, newest first, without those that were taken back: the only authority on
 * where ingestion stands. What nobody can read is passed over: the sink sets it aside, so no table holds it. Throws
 * `ForeignEventError` where the partition holds events of another chain.
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
      // Engines may keep offsets for themselves: a stretch without records is not the end.
      if (more.length === 0) break;
      records.push(...more);
    }
    yield* records.reverse();
    until = from;
  }
}
