import type { Codec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../platform/avro/tagged-codec.ts';

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

/** Account records as they lie in the log. */
export type AccountCodec = Codec<AccountEntry>;

export const openAccountCodec = (registry: SchemaRegistry): Promise<AccountCodec> =>
  openTaggedCodec<'event', AccountEntry>(registry, 'AccountEvent', 'event');
