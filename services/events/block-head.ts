import avsc from 'avsc';
import { loadSchema } from '../platform/avro/schemas.ts';

/** The part of a record that the sink reads; the rest stays encoded. */
export type BlockHead = {
  readonly chain: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly part: number;
  readonly parts: number;
};

type HeadColumns = { chain: string; block_number: number; block_hash: string; part: number; parts: number };

const HEAD_FIELDS = 5;
const schema = loadSchema('BlockTransfers');
const { fields } = JSON.parse(schema.json) as { fields: { name: string; type: unknown }[] };
// A record's fields are encoded in order, so its first fields form a record of their own.
const headType = avsc.Type.forSchema({
  type: 'record',
  name: 'BlockTransfersHead',
  fields: fields.slice(0, HEAD_FIELDS),
} as avsc.Schema);

/** Reads the first fields of a BlockTransfers body without its arrays; null if they cannot be read. */
export const readHead = (body: Buffer): BlockHead | null => {
  // avsc reports a truncated value by throwing or by a negative offset.
  try {
    const { value, offset } = headType.decode(body, 0) as { value: HeadColumns | undefined; offset: number };
    if (!value || offset < 0) return null;
    // With a wrong count the wait for the last part would never end.
    if (value.part < 0 || value.part >= value.parts) return null;
    return {
      chain: value.chain,
      blockNumber: value.block_number,
      blockHash: value.block_hash,
      part: value.part,
      parts: value.parts,
    };
  } catch {
    return null;
  }
};
