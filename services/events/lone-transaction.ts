import type { AvroSchema } from '../platform/avro/schemas.ts';

type Columns = {
  readonly chain: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly tx_hash: readonly string[];
};

/** A transaction that came without its block. */
export type LoneTransaction = {
  readonly chain: string;
  readonly blockNumber: number;
  /** Empty if the node does not tell it. */
  readonly blockHash: string;
  readonly hash: string;
};

/**
 * Reads which transaction a `TransactionTransfers` body is; null if it is not exactly one. Throws what avsc
 * throws.
 */
export const readLoneTransaction = (schema: AvroSchema, body: Buffer): LoneTransaction | null => {
  const { chain, block_number, block_hash, tx_hash } = schema.type.fromBuffer(body) as Columns;
  const [hash, ...others] = tx_hash;
  return hash && others.length === 0
    ? { chain, blockNumber: block_number, blockHash: block_hash, hash }
    : null;
};
