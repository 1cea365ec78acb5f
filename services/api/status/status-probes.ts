import type { HistoryKind } from '../../investigate/model/history.ts';

/** `off`: not installed. `starting`: this process has not opened it yet. */
export type ComponentState = 'ok' | 'degraded' | 'down' | 'off' | 'starting';

export type StartPart = 'event_log' | 'schema_registry' | 'warehouse';

/** What a starting process is opening or reading. */
export type StartWait = {
  readonly part: StartPart;
  readonly sinceUnixMs: number;
  /** It did not answer. */
  readonly isAway: boolean;
};

export type ChainStatus = {
  readonly chain: string;
  /** Newest block that the chain has shown; null while unknown, and if another process follows the chain. */
  readonly head: number | null;
  /** Newest block in the tables; null if there is none. */
  readonly indexed: number | null;
  /**
   * Seconds that the tables are behind the head. If another process follows the chain, the age of their newest
   * block. null while unknown.
   */
  readonly lagSeconds: number | null;
  /** The finality of indexed blocks, in the chain's own word. */
  readonly finality: string;
  /** Time since the last block of a followed chain; null if nobody follows it, or it is generated. */
  readonly stillSeconds: number | null;
  /** The chain has stood still for longer than normal, so answers fall behind. */
  readonly isStalled: boolean;
  /** Code of what ingestion waits for; null while all is well, and if another process follows the chain. */
  readonly trouble: string | null;
  /** Whether coin transfers inside transactions are seen; null if every block tells them, or while unknown. */
  readonly traces: boolean | null;
  /** Blocks since the start that no node could trace, although nodes trace others; null if not followed here. */
  readonly tracesMissing: number | null;
  /** Incomplete blocks since the start, and the newest one's reason; null if not followed here. */
  readonly partial: {
    readonly blocks: number;
    readonly newest: { readonly block: number; readonly reason: string } | null;
  } | null;
  /** Gaps that no node can fill, by the newest audit; null before the first. */
  readonly gaps: number | null;
};

/** One who lists histories of a chain. It is told by its place in the configuration, as its address may be a secret. */
export type SourceStatus = {
  /** Such as `evm-node`. */
  readonly source: string;
  /** From 1 on: the nodes in order, then what is configured beside them. */
  readonly place: number;
  /** `kinds` that it lists, methods or tables that it `has`, blocks in one question; null: it did not answer. */
  readonly offers: {
    readonly kinds: readonly HistoryKind[];
    readonly has: readonly string[];
    readonly spanMax: number | null;
  } | null;
  /** Why not: a code. */
  readonly trouble: string | null;
  /** The plan's limits as configured. */
  readonly perSecond: number | null;
  readonly perDay: number | null;
};

export type HistoryStatus = { readonly chain: string; readonly sources: readonly SourceStatus[] };

/** What the service depends on. Each probe asks anew; one that throws counts as down. */
export type StatusProbes = {
  readonly eventLog: () => Promise<ComponentState>;
  readonly warehouse: () => Promise<ComponentState>;
  readonly ledger: () => Promise<ComponentState>;
  /** Derived facts: prices, deposit addresses, first funders. */
  readonly derivation: () => Promise<ComponentState>;
  readonly facilitator: () => Promise<ComponentState>;
  readonly chains: () => Promise<readonly ChainStatus[]>;
  /** Since when the tables take nothing that the log holds for them; null: they take it, or others fill them. */
  readonly insertsWaitSinceUnixMs?: () => number | null;
  /** Who lists histories, as probed once after the start; null until then, and where no chain is followed. */
  readonly histories?: () => readonly HistoryStatus[] | null;
  /** Only in a process that cannot work yet. */
  readonly waits?: () => readonly StartWait[];
};
