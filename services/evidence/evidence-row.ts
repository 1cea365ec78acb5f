import { z } from 'zod';
import { MOVEMENT_KINDS } from '../investigate/model/movement.ts';

/** One movement that an answer rests on, as anybody finds it in the block. */
const ROW = z.strictObject({
  chain: z.string(),
  block: z.int().nonnegative(),
  block_hash: z.string(),
  /** Unix seconds; null where the chain has none. */
  time: z.int().nullable(),
  transaction: z.string(),
  /** Its place among the transaction's movements, as our decoder numbers them. */
  index: z.int().nonnegative(),
  kind: z.enum(MOVEMENT_KINDS),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** `native`, or the mint or contract address. */
  asset: z.string(),
  amount_raw: z.string().regex(/^\d+$/),
});

export type EvidenceRow = z.infer<typeof ROW>;

/** A row as its line, whose bytes are what the Merkle root stands for. */
export const toLine = (row: EvidenceRow): string => JSON.stringify(ROW.parse(row));

/** Throws `ZodError` or `SyntaxError` where the line is no row. */
export const readLine = (line: string): EvidenceRow => ROW.parse(JSON.parse(line));
