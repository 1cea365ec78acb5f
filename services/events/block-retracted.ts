import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/local-registry.ts';

/** The chain abandoned a block: rows of the events at `offsets` in this event's partition are invalid. */
export type BlockRetracted = {
  readonly chain: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Offsets of the block's parts, ascending. */
  readonly offsets: readonly number[];
};

/** The columns of `schemas/avro/BlockRetracted.avsc`. */
export type RetractedColumns = {
  chain: string;
  block_number: number;
  block_hash: string;
  offsets: readonly number[];
};

export type RetractionEncoder = (retraction: BlockRetracted) => Buffer;

export const openRetractionEncoder = async (registry: SchemaRegistry): Promise<RetractionEncoder> => {
  const codec = await openCodec<RetractedColumns>(registry, 'BlockRetracted');
  return ({ chain, blockNumber, blockHash, offsets }) =>
    codec.encode({ chain, block_number: blockNumber, block_hash: blockHash, offsets });
};

export const toBlockRetracted = (columns: RetractedColumns): BlockRetracted => ({
  chain: columns.chain,
  blockNumber: columns.block_number,
  blockHash: columns.block_hash,
  offsets: columns.offsets,
});
