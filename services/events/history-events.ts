import {
  HISTORY_KINDS,
  HISTORY_PROOFS,
  type HistoryKind,
  type HistoryProof,
  type ListedWindow,
} from '../investigate/model/history.ts';
import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import type { AppendRecord } from '../platform/event-log/event-log.ts';

export const HISTORY_LISTED = 'history.listed';

export type HistoryEvents = {
  readonly listed: (window: ListedWindow) => AppendRecord;
  /** Throws if the record is another event or damaged. Kinds that this version does not know are left out. */
  readonly decodeListed: (record: Buffer) => ListedWindow;
};

type Listed = {
  chain: string;
  address: string;
  kinds: string[];
  asset: string | null;
  first: number;
  last: number;
  last_at: number | null;
  source: string;
  proof: string;
  reason: string | null;
  transactions: number;
  read_at: number;
};

export const openHistoryEvents = async (registry: SchemaRegistry): Promise<HistoryEvents> => {
  const codec = await openCodec<Listed>(registry, 'HistoryListed');
  return {
    listed: ({ lastUnixSeconds, readAtUnixSeconds, kinds, ...window }) => ({
      topic: HISTORY_LISTED,
      key: `${window.chain}:${window.address}`,
      value: codec.encode({
        ...{ ...window, kinds: [...kinds] },
        ...{ last_at: lastUnixSeconds, read_at: readAtUnixSeconds },
      }),
    }),
    decodeListed: (record) => {
      const { last_at, read_at, kinds, proof, ...window } = codec.decode(record);
      return {
        ...window,
        kinds: kinds.filter(isKind),
        // What is not known as good enough is not.
        proof: isProof(proof) ? proof : 'partial',
        lastUnixSeconds: last_at,
        readAtUnixSeconds: read_at,
      };
    },
  };
};

const isKind = (kind: string): kind is HistoryKind => (HISTORY_KINDS as readonly string[]).includes(kind);
const isProof = (proof: string): proof is HistoryProof =>
  (HISTORY_PROOFS as readonly string[]).includes(proof);
