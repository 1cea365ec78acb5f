import type { Hex } from 'viem';
import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import { type Movement, NATIVE } from '../../../investigate/model/movement.ts';
import type { Log } from '../read-log.ts';

export type BridgeContext = {
  readonly chain: string;
  /** Of the transaction. */
  readonly sender: string;
  /** All of the transaction. */
  readonly movements: readonly Movement[];
  /** Whether no other log of the transaction is the same event: its payments are this one's then. */
  readonly isOnly: boolean;
};

export type BridgeReading = Omit<BridgeTransfer, 'txIndex' | 'index'>;

/** Addresses by chain, in lower case. */
export type Contracts = Readonly<Record<string, readonly string[]>>;

/** An event of a bridge's contract, and what it tells. */
export type BridgeEvent = {
  readonly topic: string;
  /** Whose word it is. Anybody can log the same event: from others it is nothing. */
  readonly contracts: Contracts;
  /** null where it is of no money. Throws what viem throws where the log has not the event's form. */
  readonly read: (log: Log, context: BridgeContext) => BridgeReading | null;
};

/** What viem decodes. */
export const toEncoded = ({ topics, data }: Log) => ({
  topics: topics as [Hex, ...Hex[]],
  data: data as Hex,
});

/** The null address stands for the coin. */
export const toAsset = (address: string | null): string | null =>
  address !== null && /^0x0{40}$/.test(address) ? NATIVE : address;
