import type { Address } from './address.ts';
import type { Asset } from './asset.ts';
import type { ControlEvent, ControlKind } from './control-event.ts';
import type { Query } from './query.ts';
import type { ContiguousRange, OnChain, TransactionPosition } from './transfer-reader.ts';

/**
 * The port for control events: who may act for whom, and who created what. Every method is one or two rounds
 * of indexed queries and throws like the transfer reader. Outside `controlSpan` missing events prove nothing.
 */
export type ControlReader = {
  /**
   * Events of a token, token account, program or contract. Approvals are recorded at the token account, not
   * at the token.
   */
  readonly eventsOf: Query<EventsCommon, AddressTimes, Events>;
  /**
   * Events by which a wallet created, gave away or lost something: its approvals, its frozen balances,
   * authorities that it handed over.
   */
  readonly eventsOfHolder: Query<EventsCommon, AddressTimes, Events>;
  /**
   * Events by which a wallet received powers from others: approvals to it, authorities that it took over.
   * `calls` are only available with `eventsOf`.
   */
  readonly eventsByParty: Query<EventsCommon, AddressTimes, Events>;
  /** The callers of each program, the most frequent first. */
  readonly topCallers: Query<TopCallersOf, Address, TopCallers>;
  /** The newest freeze of each wallet's balance of an asset that was not released after it; null where there is none. */
  readonly freezes: Query<OnChain & { readonly asset: Asset }, Address, PlacedControlEvent | null>;
  /**
   * The blocks of each chain whose control events are kept: from the newest back to the first gap; null when there are
   * none.
   */
  readonly controlSpan: Query<object, string, ContiguousRange | null>;
};

export type EventsCommon = {
  readonly chain: string;
  /** At least one, without duplicates. */
  readonly kinds: readonly ControlKind[];
  readonly order: 'newest_first' | 'oldest_first';
  /** Maximum events of each address, at least 1. */
  readonly limit: number;
};

export type AddressTimes = {
  readonly address: Address;
  /** Unix seconds, both included. */
  readonly fromUnixSeconds?: number;
  readonly toUnixSeconds?: number;
};

export type ControlPosition = TransactionPosition & { readonly index: number };

export type PlacedControlEvent = ControlEvent &
  TransactionPosition & {
    readonly chain: string;
    readonly signature: string;
    /** Hash of the transaction. */
    readonly sender: Address;
  };

export type Events = {
  readonly events: readonly PlacedControlEvent[];
  /** There may be more than the limit. */
  readonly isCut: boolean;
};

export type TopCallersOf = OnChain & {
  /** Maximum number of the newest counts that are read, at least 1. */
  readonly rowsMax: number;
  readonly limit: number;
};

export type TopCallers = {
  readonly callers: readonly Caller[];
  readonly calls: bigint;
  /** Calls by callers that blocks with too many callers do not name. */
  readonly unnamedCalls: bigint;
  /** Start of the counted period: the first call, unless `rowsMax` cut it. Unix seconds. */
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

/** Negative when `a` comes first in chain order. */
export const compareControl = (a: ControlPosition, b: ControlPosition): number =>
  a.blockTime - b.blockTime || a.blockNumber - b.blockNumber || a.txIndex - b.txIndex || a.index - b.index;
