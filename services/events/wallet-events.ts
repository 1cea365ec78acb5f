import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import type { AppendRecord } from '../platform/event-log/event-log.ts';

export const WALLETS_ASKED = 'wallets.asked';
export const WALLETS_READ = 'wallets.read';

/** A requested wallet; the address in the tables' form. */
export type WalletAsked = {
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
};

export type WalletEvents = {
  readonly asked: (event: WalletAsked) => AppendRecord;
  /** Throws if the record is another event or damaged. */
  readonly decodeAsked: (record: Buffer) => WalletAsked;
  readonly read: (event: WalletRead) => AppendRecord;
  /** Throws as `decodeAsked` does. */
  readonly decodeRead: (record: Buffer) => WalletRead;
};

type Asked = { chain: string; wallet: string; asked_at: number; is_paid: boolean };
type Read = { chain: string; wallet: string; transactions: number; coverage: string; read_at: number };

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
    read: ({ readAtUnixSeconds, ...event }) => ({
      topic: WALLETS_READ,
      key: keyOf(event),
      value: read.encode({ ...event, read_at: readAtUnixSeconds }),
    }),
    decodeRead: (record) => {
      const { read_at, ...event } = read.decode(record);
      return { ...event, readAtUnixSeconds: read_at };
    },
  };
};
