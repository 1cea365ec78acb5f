import type { HistorySide } from '../investigate/model/history.ts';
import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import type { AppendRecord } from '../platform/event-log/event-log.ts';

export const WALLETS_ASKED = 'wallets.asked';
export const WALLETS_READ = 'wallets.read';

/** Which part of a history is wanted. */
export type WantedPart = {
  /** null: transfers of all assets. */
  readonly asset: string | null;
  readonly side: HistorySide;
  /** Block or slot, included; null: the chain's first, and the newest final one. */
  readonly first: number | null;
  readonly last: number | null;
  readonly order: 'oldest' | 'newest';
  /** Transactions that are read. */
  readonly limit: number;
};

/** The newest part of everything. */
export const WHOLE_HISTORY: WantedPart = {
  ...{ asset: null, side: 'both', first: null, last: null },
  ...{ order: 'newest', limit: 1_000 },
};

/** A requested wallet or contract; the address in the tables' form. */
export type WalletAsked = WantedPart & {
  readonly chain: string;
  readonly wallet: string;
  readonly askedAtUnixSeconds: number;
  /** By a charged call. */
  readonly isPaid: boolean;
};

export type WalletRead = {
  readonly chain: string;
  readonly wallet: string;
  /** Transactions that moved something. */
  readonly transactions: number;
  /** `complete`, or what is missing. */
  readonly coverage: string;
  readonly readAtUnixSeconds: number;
  /** Whether only a part was asked for. */
  readonly isPart: boolean;
};

export type WalletEvents = {
  readonly asked: (event: WalletAsked) => AppendRecord;
  /** Throws if the record is another event or damaged. */
  readonly decodeAsked: (record: Buffer) => WalletAsked;
  readonly read: (event: WalletRead) => AppendRecord;
  /** Throws as `decodeAsked` does. */
  readonly decodeRead: (record: Buffer) => WalletRead;
};

type Asked = WantedPart & { chain: string; wallet: string; asked_at: number; is_paid: boolean };
type Read = {
  chain: string;
  wallet: string;
  transactions: number;
  coverage: string;
  read_at: number;
  is_part: boolean;
};

/** Registers both events and returns their codec. */
export const openWalletEvents = async (registry: SchemaRegistry): Promise<WalletEvents> => {
  const asked = await openCodec<Asked>(registry, 'WalletAsked');
  const read = await openCodec<Read>(registry, 'WalletRead');
  const keyOf = ({ chain, wallet }: { chain: string; wallet: string }): string => `${chain}:${wallet}`;
  return {
    asked: ({ askedAtUnixSeconds, isPaid, ...wallet }) => ({
      topic: WALLETS_ASKED,
      key: keyOf(wallet),
      value: asked.encode({ ...wallet, asked_at: askedAtUnixSeconds, is_paid: isPaid }),
    }),
    decodeAsked: (record) => {
      const { asked_at, is_paid, ...wallet } = asked.decode(record);
      return { ...wallet, askedAtUnixSeconds: asked_at, isPaid: is_paid };
    },
    read: ({ readAtUnixSeconds, isPart, ...event }) => ({
      topic: WALLETS_READ,
      // The newest record of a key stays: that of a part must not replace that of the whole history.
      key: isPart ? `${keyOf(event)}:part` : keyOf(event),
      value: read.encode({ ...event, read_at: readAtUnixSeconds, is_part: isPart }),
    }),
    decodeRead: (record) => {
      const { read_at, is_part, ...event } = read.decode(record);
      return { ...event, readAtUnixSeconds: read_at, isPart: is_part };
    },
  };
};
