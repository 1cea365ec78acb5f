import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockEncoder } from '../events/encode-block.ts';
import type { DecodedBlock, DecodeProblem } from '../investigate/model/block.ts';
import type { AppendRecord, EventLog } from '../platform/event-log/event-log.ts';
import { retryForever } from '../platform/retry.ts';
import { blockRecords } from './block-records.ts';
import type { BlockSource } from './block-source.ts';
import { type LastBlock, readLastBlock } from './checkpoint.ts';

/** The chain says another parent than the block we hold: what we hold was abandoned. Nothing wrong is stored. */
export class ReorgSeenError extends Error {
  readonly code = 'reorg_seen';
  constructor(chain: string, block: DecodedBlock, held: LastBlock) {
    super(
      `${chain} block ${block.number} names parent ${block.parentHash}, but block ${held.number} here is ${held.hash}`,
    );
    this.name = 'ReorgSeenError';
  }
}

/** A block between the one we hold and this one was not given to us: asked for again, never passed over. */
export class GapSeenError extends Error {
  readonly code = 'gap_seen';
  constructor(chain: string, block: DecodedBlock, held: LastBlock) {
    super(
      `${chain} block ${block.number} follows ${block.parentNumber}, but the last one here is ${held.number}`,
    );
    this.name = 'GapSeenError';
  }
}

export type HeadEvents = {
  /** `head` is the chain's newest number, `indexed` the last one in the log; null before the first. */
  progress(at: { head: number; indexed: number | null; blocks: number }): void;
  /** A block is durable in the log. */
  stored(block: { number: number; movements: number }): void;
  problem(at: { block: number; problem: DecodeProblem }): void;
  waiting(error: unknown, waitMs: number): void;
};

export type HeadOptions = {
  readonly source: BlockSource;
  readonly log: EventLog;
  readonly encode: BlockEncoder;
  /** The chain's own partition of `transfers.head`. */
  readonly partition: number;
  /** Where to begin when the log holds nothing of the chain; null: at its head. */
  readonly firstBlock: number | null;
  /** Blocks asked for at once: bounds memory as well as the node's load. */
  readonly parallel: number;
  readonly pollMs: number;
  readonly events: HeadEvents;
};

const TOPIC = 'transfers.head';

/**
 * Follows a chain's head into the log, in order, each block once; resumes behind the last block the log holds. Ends only
 * by throwing: the signal's reason, or `ReorgSeenError`.
 */
export const followHead = async (options: HeadOptions, signal: AbortSignal): Promise<never> => {
  const { source, log, partition, events, parallel } = options;
  const untilItWorks = <T>(action: () => Promise<T>) =>
    retryForever(action, { signal, onWait: events.waiting });
  let last = await readLastBlock(log, { topic: TOPIC, partition, chain: source.chain });
  let head = await untilItWorks(() => source.head(signal));
  let next = last ? last.number + 1 : (options.firstBlock ?? head);
  const report = (blocks: number) => events.progress({ head, indexed: last?.number ?? null, blocks });

  for (;;) {
    report(0);
    while (next <= head) {
      signal.throwIfAborted();
      const count = Math.min(parallel, head - next + 1);
      const { blocks, numbers } = await untilItWorks(() => fetchRange(source, next, count, last, signal));
      last = await appendBlocks(options, blocks, last);
      next += numbers;
      report(blocks.length);
      if (numbers < count) break;
    }
    await (source.headMoved?.(options.pollMs, signal) ?? sleep(options.pollMs, undefined, { signal }));
    head = await untilItWorks(() => source.head(signal));
  }
};

/** The blocks of a range, up to the first number that the chain cannot answer yet, and how many numbers that settles. */
const fetchRange = async (
  source: BlockSource,
  first: number,
  count: number,
  held: LastBlock | null,
  signal: AbortSignal,
) => {
  const fetched = await Promise.all(Array.from({ length: count }, (_, i) => source.fetch(first + i, signal)));
  const stop = fetched.findIndex((f) => f.status === 'not_yet');
  const settled = stop < 0 ? fetched : fetched.slice(0, stop);
  const blocks = settled.flatMap((f) => (f.status === 'block' ? [f.decoded] : []));
  let last = held;
  for (const block of blocks) {
    const parent = block.parentNumber ?? block.number - 1;
    if (last && parent > last.number) throw new GapSeenError(source.chain, block, last);
    last = { number: block.number, hash: block.hash };
  }
  return { blocks, numbers: settled.length };
};

const appendBlocks = async (
  options: HeadOptions,
  blocks: DecodedBlock[],
  held: LastBlock | null,
): Promise<LastBlock | null> => {
  const records: AppendRecord[] = [];
  let last = held;
  for (const block of blocks) {
    if (last && block.parentHash !== last.hash) throw new ReorgSeenError(block.chain, block, last);
    for (const problem of block.problems) options.events.problem({ block: block.number, problem });
    records.push(
      ...blockRecords(block, options.encode, {
        topic: TOPIC,
        partition: options.partition,
        key: block.chain,
      }),
    );
    last = { number: block.number, hash: block.hash };
  }
  if (records.length > 0) await options.log.append(records);
  for (const { number, movements } of blocks) options.events.stored({ number, movements: movements.length });
  return last;
};
