import { readHead } from '../events/block-head.ts';
import { splitRecord } from '../platform/avro/wire-format.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';

export type LastBlock = { readonly number: number; readonly hash: string };

/**
 * The last block of a chain's partition: where ingestion resumes. The log is the only authority on it; null when the
 * partition is empty. Throws when the last record is not a block of this chain.
 */
export const readLastBlock = async (
  log: EventLog,
  at: { topic: string; partition: number; chain: string },
): Promise<LastBlock | null> => {
  const range = (await log.ranges(at.topic)).find((r) => r.partition === at.partition);
  if (!range || range.end === range.begin) return null;
  const [record] = await log.read({ ...at, offset: range.end - 1, maxBytes: 1 });
  const head = record && readHead(splitRecord(record.value).body);
  if (!head || head.chain !== at.chain) {
    throw new Error(`the last record of ${at.topic}/${at.partition} is not a block of ${at.chain}`);
  }
  return { number: head.blockNumber, hash: head.blockHash };
};
