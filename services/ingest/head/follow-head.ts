import { setTimeout as sleep } from 'node:timers/promises';
import type { RetractionEncoder } from '../../events/block-retracted.ts';
import type { BlockEncoder } from '../../events/encode-block.ts';
import type { DecodeProblem } from '../../investigate/model/block.ts';
import type { SchemaRegistry } from '../../platform/avro/local-registry.ts';
import type { AppendRecord, EventLog } from '../../platform/event-log/event-log.ts';
import { retryForever } from '../../platform/retry.ts';
import { type RecordsOfBlock, recordsOrDeadLetter } from '../block-records.ts';
import type { BlockSource } from '../nodes/block-source.ts';
import { isLost } from '../until-written.ts';
import { GapSeenError, type LastBlock, type NextBlocks, readNext } from './read-next.ts';
import { ForeignEventError, standingBlocks } from './standing-blocks.ts';
import { ReorgTooDeepError } from './walk-back.ts';

export type HeadEvents = {
  /** `head` is the chain's newest number, `indexed` the last one in the log; null before the first. */
  progress(at: { head: number; indexed: number | null; blocks: number }): void;
  /** A block is durable in the log. */
  stored(block: { number: number; movements: number }): void;
  /** This many blocks, from this number on, were retracted; durable in the log. */
  retracted(blocks: { count: number; from: number }): void;
  problem(at: { block: number; problem: DecodeProblem }): void;
  waiting(error: unknown, waitMs: number): void;
};

export type HeadOptions = {
  readonly source: BlockSource;
  readonly log: EventLog;
  readonly registry: SchemaRegistry;
  readonly encode: BlockEncoder;
  readonly encodeRetraction: RetractionEncoder;
  /** The chain's own partition of `transfers.head`. */
  readonly partition: number;
  /** Where to start if the log holds nothing of the chain; null: at its head. */
  readonly firstBlock: number | null;
  /** Blocks requested at once: bounds memory and the node's load. */
  readonly parallel: number;
  readonly pollMs: number;
  /** The deepest reorganisation that is accepted: more than the chain ever had. */
  readonly reorgDepthMax: number;
  readonly events: HeadEvents;
};

const TOPIC = 'transfers.head';

/**
 * Follows a chain's head into the log, in order, each block once. A reorganisation retracts blocks and adds their
 * replacements in one append. Resumes after the last valid block of the log. Failing nodes and logs are retried
 * for ever. Ends only by throwing: the signal's reason, `ReorgTooDeepError`, `ForeignEventError`, `FencedError`,
 * `LogClosedError`.
 */
export const followHead = async (options: HeadOptions, signal: AbortSignal): Promise<never> => {
  const { source, events, parallel } = options;
  const held = () => standingBlocks({ ...options, topic: TOPIC, chain: source.chain });
  const untilItWorks = <T>(action: () => Promise<T>) =>
    retryForever(action, { signal, onWait: events.waiting, isFinal });
  let last: LastBlock | null = (await untilItWorks(() => held().next())).value ?? null;
  let head = await untilItWorks(() => source.head(signal));
  let next = last ? last.number + 1 : (options.firstBlock ?? head);
  const report = (blocks: number) => events.progress({ head, indexed: last?.number ?? null, blocks });

  let isHeldUp = false;
  const read = async (): Promise<NextBlocks> => {
    const count = isHeldUp ? 1 : Math.min(parallel, head - next + 1);
    const limits = { depthMax: options.reorgDepthMax, adoptedMax: parallel };
    try {
      const blocks = await readNext(source, { first: next, count, last, held }, limits, signal);
      isHeldUp = blocks.isHeldUp;
      return blocks;
    } catch (error) {
      isHeldUp = !(error instanceof GapSeenError);
      // A skipped number may have got a block in a reorganisation.
      if (error instanceof GapSeenError && last) next = last.number + 1;
      throw error;
    }
  };

  for (;;) {
    report(0);
    while (next <= head) {
      signal.throwIfAborted();
      const blocks = await untilItWorks(read);
      const adopted = recordsOfAdopted(options, blocks);
      const records = [...retractionsOf(options, blocks), ...adopted.flatMap((block) => block.records)];
      // All or nothing: readers never see retracted blocks without their replacements.
      if (records.length > 0) await untilItWorks(() => options.log.append(records));
      tell(events, blocks, adopted);
      last = blocks.adopted.at(-1) ?? last;
      next = blocks.next;
      report(blocks.adopted.length);
      if (blocks.isAtEnd) break;
    }
    await (source.headMoved?.(options.pollMs, signal) ?? sleep(options.pollMs, undefined, { signal }));
    head = await untilItWorks(() => source.head(signal));
  }
};

const isFinal = (error: unknown): boolean =>
  error instanceof ReorgTooDeepError || error instanceof ForeignEventError || isLost(error);

const placeOf = ({ source, partition }: HeadOptions) => ({ topic: TOPIC, partition, key: source.chain });

const retractionsOf = (options: HeadOptions, { abandoned }: NextBlocks): AppendRecord[] => {
  const { chain } = options.source;
  return abandoned.map(({ number, hash, offsets }) => ({
    ...placeOf(options),
    value: options.encodeRetraction({ chain, blockNumber: number, blockHash: hash, offsets }),
  }));
};

const recordsOfAdopted = (options: HeadOptions, { adopted }: NextBlocks): RecordsOfBlock[] =>
  adopted.map((block) => recordsOrDeadLetter(block, options.encode, placeOf(options)));

const tell = (
  events: HeadEvents,
  { abandoned, adopted }: NextBlocks,
  stored: readonly RecordsOfBlock[],
): void => {
  const oldest = abandoned.at(-1);
  if (oldest) events.retracted({ count: abandoned.length, from: oldest.number });
  for (const [at, { number, movements }] of adopted.entries()) {
    for (const problem of stored[at]?.problems ?? []) events.problem({ block: number, problem });
    events.stored({ number, movements: movements.length });
  }
};
