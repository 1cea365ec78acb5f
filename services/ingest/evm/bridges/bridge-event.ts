import type { AbiEvent, ContractEventArgsFromTopics, ContractEventName, Hex } from 'viem';
import { decodeEventLog, toEventSelector } from 'viem/utils';
import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import { type Movement, NATIVE } from '../../../investigate/model/movement.ts';
import type { Log } from '../read-log.ts';

export type BridgeContext = {
  readonly chain: string;
  /** The transaction's sender. */
  readonly sender: string;
  /** All movements of the transaction. */
  readonly movements: readonly Movement[];
  /** Whether the transaction has no other log of this event: then its payments belong to this one. */
  readonly isOnly: boolean;
};

export type BridgeReading = Omit<BridgeTransfer, 'txIndex' | 'index'>;

/** Addresses by chain, in lower case. */
export type Contracts = Readonly<Record<string, readonly string[]>>;

/** An event of a bridge's contract, and what it tells. */
export type BridgeEvent = {
  readonly topic: string;
  /** The contracts that may log it. Anybody else's log of the same event is ignored. */
  readonly contracts: Contracts;
  /** null if it moved no money. Throws what viem throws if the log has another form. */
  readonly read: (log: Log, context: BridgeContext) => BridgeReading | null;
};

export type EventArgs<Event extends AbiEvent> = ContractEventArgsFromTopics<
  readonly [Event],
  ContractEventName<readonly [Event]>,
  true
>;

/** `read` gets the decoded event and its contract. */
export const bridgeEvent = <const Event extends AbiEvent>(
  event: Event,
  contracts: Contracts,
  read: (args: EventArgs<Event>, context: BridgeContext, contract: string) => BridgeReading | null,
): BridgeEvent => ({
  topic: toEventSelector(event),
  contracts,
  read: ({ address, topics, data }, context) => {
    const { args } = decodeEventLog({ abi: [event], topics: topics as [Hex, ...Hex[]], data: data as Hex });
    return read(args as EventArgs<Event>, context, address);
  },
});

/** The null address stands for the coin. */
export const toAsset = (address: string | null): string | null =>
  address !== null && /^0x0{40}$/.test(address) ? NATIVE : address;
