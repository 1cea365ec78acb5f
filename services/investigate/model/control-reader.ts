import type { Address } from './address.ts';
import type { ControlEvent, ControlKind } from './control-event.ts';
import type { ContiguousRange, ReadLimits, TransactionPosition } from './transfer-reader.ts';

/**
 * The port through which the brain asks who may act for whom, and who made what. Every method is one or two rounds of
 * indexed queries. Throws as the transfer reader does. No event is no proof where `controlSpan` does not reach.
 */
export type ControlReader = {
  /** What happened to a token, token account, program or contract. Approvals stand by a token account, not by the token. */
  readonly eventsOf: (request: ControlRequest) => Promise<ControlPage>;
  /** What a wallet made, gave away or lost: its approvals, its frozen balances, authorities that it handed over. */
  readonly eventsOfHolder: (request: ControlRequest) => Promise<ControlPage>;
  /** What a wallet was given by others: approvals to it, authorities that it took over. `calls` are only with `eventsOf`. */
  readonly eventsByParty: (request: ControlRequest) => Promise<ControlPage>;
  /** Who called a program most often, the most frequent first. */
  readonly topCallers: (request: TopCallersRequest) => Promise<TopCallers>;
  /** The blocks whose control events are kept: the newest and those before it without a gap; null where there are none. */
  readonly controlSpan: (request: ReadLimits & { readonly chain: string }) => Promise<ContiguousRange | null>;
};

export type ControlRequest = ReadLimits & {
  readonly chain: string;
  readonly address: Address;
  /** At least one, none twice. */
  readonly kinds: readonly ControlKind[];
  readonly order: 'newest_first' | 'oldest_first';
  /** Unix seconds, both included. */
  readonly fromUnixSeconds?: number;
  readonly toUnixSeconds?: number;
  /** Where the page before ended. */
  readonly after?: ControlPosition;
  /** Rows at most in the page, at least 1. */
  readonly limit: number;
};

export type ControlPosition = TransactionPosition & { readonly index: number };

export type PlacedControlEvent = ControlEvent &
  TransactionPosition & {
    readonly chain: string;
    readonly signature: string;
    /** Of the transaction. */
    readonly sender: Address;
  };

export type ControlPage = {
  readonly events: readonly PlacedControlEvent[];
  /** For `after` of the next page; null when this was the last. */
  readonly next: ControlPosition | null;
};

export type TopCallersRequest = ReadLimits & {
  readonly chain: string;
  readonly program: Address;
  /** Of the newest counts so many are read, at least 1. */
  readonly rowsMax: number;
  readonly limit: number;
};

export type TopCallers = {
  readonly callers: readonly Caller[];
  readonly calls: bigint;
  /** Of callers that blocks with too many do not name. */
  readonly unnamedCalls: bigint;
  /** Since when calls were counted here: since the first one, unless `rowsMax` cut it. Unix seconds. */
  readonly sinceUnixSeconds: number;
  readonly isCut: boolean;
};

export type Caller = {
  readonly caller: Address;
  readonly calls: bigint;
  /** Its first call in the latest block. */
  readonly latest: TransactionPosition;
  readonly signature: string;
};

/** Negative when `a` comes first, as the chain ordered them. */
export const compareControl = (a: ControlPosition, b: ControlPosition): number =>
  a.blockTime - b.blockTime || a.blockNumber - b.blockNumber || a.txIndex - b.txIndex || a.index - b.index;
