import { createEventReader } from '../../events/read-event.ts';
import type { BlockSource } from '../../ingest/nodes/block-source.ts';
import { FinishedRanges, type RangeIngested } from '../../ingest/range/finished-ranges.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import { openCodec } from '../../platform/avro/codec.ts';
import type { PartitionRange } from '../../platform/event-log/event-log.ts';
import type { PassedOver } from '../../platform/event-log/read-decoded.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { type Claim, type FoundGap, findGaps, type Gap } from '../../warehouse/read/blocks/find-gaps.ts';
import { untilTransfersStored } from '../sink/until-transfers-stored.ts';
import type { Store } from '../store/open-store.ts';
import { type FillOptions, fillGaps } from './fill-gaps.ts';

export type Audit = {
  /** Filled again from the chain. */
  readonly refilled: readonly Gap[];
  /** Still open: no node has the blocks, or filling did not help. */
  readonly open: readonly Gap[];
};

export type AuditOptions = Omit<FillOptions, 'finished'> & {
  readonly warehouse: Pick<Warehouse, 'reader'>;
  /** Called for range records that cannot be read. */
  readonly passedOver: PassedOver;
};

const QUERY_TIMEOUT_MS = 60_000;

/**
 * Compares what the log claims (ranges, and the head up to the final block) with the blocks in the tables, by
 * their parent links, and asks the chain for what is missing.
 */
export const auditChain = async (options: AuditOptions, signal: AbortSignal): Promise<Audit> => {
  const { store, source, warehouse } = options;
  const codec = await openCodec<RangeIngested>(store.registry, 'RangeIngested');
  const finished = await FinishedRanges.read(store.log, codec, options.passedOver);
  const claims = [
    ...finished
      .spansOf(source.chain)
      .map(({ first, last, lastBlock }) => ({ chain: source.chain, first, last, lastBlock })),
    ...(await claimOfHead(store, source, signal)),
  ];
  // Until then nothing can be missing from the tables.
  await untilTransfersStored(store, signal);
  const audit = { refilled: [] as Gap[], open: [] as Gap[] };
  const gaps: FoundGap[] = [];
  for (const claim of claims)
    for await (const gap of findGaps(warehouse.reader, { ...claim, signal, timeoutMs: QUERY_TIMEOUT_MS }))
      gaps.push(gap);
  for await (const { gap, isFilled } of fillGaps({ ...options, finished }, eachOnce(gaps), signal))
    (isFilled ? audit.refilled : audit.open).push(gap);
  return audit;
};

/**
 * Head and ranges may claim the same numbers. A gap inside another is filled with it. Of equal gaps the one with
 * tighter bounds counts.
 */
const eachOnce = (gaps: readonly FoundGap[]): readonly FoundGap[] => {
  const openSides = ({ before, parentOfNext }: FoundGap): number =>
    Number(before === null) + Number(parentOfNext === null);
  let end = -1;
  return gaps
    .toSorted((a, b) => a.first - b.first || b.last - a.last || openSides(a) - openSides(b))
    .filter(({ last }) => {
      const isNew = last > end;
      if (isNew) end = last;
      return isNew;
    });
};

/** From the head's first block to the newest final one. */
const claimOfHead = async (
  { log, registry }: Store,
  source: BlockSource,
  signal: AbortSignal,
): Promise<Claim[]> => {
  const { chain } = source;
  const partition = CHAINS.findIndex(({ name }) => name === chain);
  const range = (await log.ranges('transfers.head')).find((r) => r.partition === partition);
  if (!range || range.end === range.begin) return [];
  const first = await findFirstBlock({ log, registry }, range);
  if (first === null) return [];
  const last = await source.head(signal);
  return last < first ? [] : [{ chain, first, last, lastBlock: null }];
};

/** The number of a partition's first block; unreadable records are skipped. */
const findFirstBlock = async (
  { log, registry }: Pick<Store, 'log' | 'registry'>,
  { topic, partition, begin, end }: PartitionRange,
): Promise<number | null> => {
  const readEvent = createEventReader(registry);
  for (let offset = begin; offset < end; ) {
    const [record] = await log.read({ topic, partition, offset, maxBytes: 1 });
    if (!record) return null;
    const event = await readEvent(record.value);
    if (event.type === 'block') return event.head.blockNumber;
    offset = record.offset + 1;
  }
  return null;
};
