import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { fromBranch, toBranch } from '../platform/avro/tagged-union.ts';

export type AccountEvent =
  | { readonly type: 'AccountOpened'; readonly name: string }
  | {
      readonly type: 'KeyIssued';
      readonly keyId: string;
      readonly name: string;
      readonly prefix: string;
      readonly hash: Uint8Array;
    }
  | { readonly type: 'KeyRevoked'; readonly keyId: string };

export type AccountEntry = {
  readonly accountId: string;
  readonly atUnixMs: number;
  readonly event: AccountEvent;
};

/** Account records as they lie in the log. Decoding throws where a record is of another schema or damaged. */
export type AccountCodec = { encode(entry: AccountEntry): Buffer; decode(record: Buffer): AccountEntry };

type EntryRecord = { account_id: string; at_unix_ms: number; event: object };

export const openAccountCodec = async (registry: SchemaRegistry): Promise<AccountCodec> => {
  const codec = await openCodec<EntryRecord>(registry, 'AccountEvent');
  return {
    encode: ({ accountId, atUnixMs, event }) =>
      codec.encode({ account_id: accountId, at_unix_ms: atUnixMs, event: toBranch(event) }),
    decode: (record) => {
      const { account_id: accountId, at_unix_ms: atUnixMs, event } = codec.decode(record);
      return { accountId, atUnixMs, event: fromBranch<AccountEvent>(event) };
    },
  };
};
