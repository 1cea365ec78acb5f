/** `off`: not part of this installation. `starting`: this process has not opened it yet. */
export type ComponentState = 'ok' | 'degraded' | 'down' | 'off' | 'starting';

export type StartPart = 'event_log' | 'schema_registry' | 'warehouse';

/** What a process that starts is opening or reading. */
export type StartWait = {
  readonly part: StartPart;
  readonly sinceUnixMs: number;
  /** It was asked and did not answer. */
  readonly isAway: boolean;
};

export type ChainStatus = {
  readonly chain: string;
  /** Newest block the chain has shown us; null while unknown, and where another process follows the chain. */
  readonly head: number | null;
  /** Newest block in the tables; null when there is none. */
  readonly indexed: number | null;
  /**
   * How old the tables are behind the head, or, where another process follows the chain, how old their newest block is;
   * null while that is unknown.
   */
  readonly lagSeconds: number | null;
  /** How settled `indexed` blocks are, in the chain's own word. */
  readonly finality: string;
  /** Since a block of a chain that is followed last came in; null where nobody follows it, or it is generated. */
  readonly stillSeconds: number | null;
  /** It has not moved for longer than such a chain ever stands still: answers fall behind. */
  readonly isStalled: boolean;
  /** Code of what ingestion is waiting for; null while all is well, and where another process follows the chain. */
  readonly trouble: string | null;
  /** Whether coins moved by calls inside transactions are seen; null where every block tells it, or while unknown. */
  readonly traces: boolean | null;
  /** Blocks since the start of which no node could trace the calls, though nodes trace others; null where not followed here. */
  readonly tracesMissing: number | null;
  /** Blocks since the start that are stored in part, and why the newest one is; null where not followed here. */
  readonly partial: {
    readonly blocks: number;
    readonly newest: { readonly block: number; readonly reason: string } | null;
  } | null;
  /** Stretches of blocks that are missing and that no node has, by the newest audit; null before the first. */
  readonly gaps: number | null;
};

/** What the service relies on, asked anew each time. A probe that throws counts as down. */
export type StatusProbes = {
  readonly eventLog: () => Promise<ComponentState>;
  readonly warehouse: () => Promise<ComponentState>;
  readonly ledger: () => Promise<ComponentState>;
  /** Facts that follow from the tables: prices, deposit addresses, first funders. */
  readonly derivation: () => Promise<ComponentState>;
  readonly facilitator: () => Promise<ComponentState>;
  readonly chains: () => Promise<readonly ChainStatus[]>;
  /** Only in a process that cannot do its work yet. */
  readonly waits?: () => readonly StartWait[];
};
