import avsc from 'avsc';
import { loadSchema } from '../platform/avro/schemas.ts';

/** What the sink needs to know of a record; the rest stays encoded on its way into the engine. */
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
// A record's fields are encoded one after the other, so its first fields are a record of their own.
const headType = avsc.Type.forSchema({
  type: 'record',
  name: 'BlockTransfersHead',
  fields: fields.slice(0, HEAD_FIELDS),
} as avsc.Schema);

/** Reads the first fields of a BlockTransfers body without touching its arrays; null when they cannot be read. */
export const readHead = (body: Buffer): BlockHead | null => {
  // Reads past the end are how avsc tells a truncated value: it throws or gives a negative offset.
  try {
    const { value, offset } = headType.decode(body, 0) as { value: HeadColumns | undefined; offset: number };
    if (!value || offset < 0) return null;
    // Who waits for the last of the parts would wait for ever.
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
