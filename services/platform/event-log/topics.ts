/**
 * Every topic of the service. A topic that is the source of truth keeps everything and never changes its
 * partition count, because a key would move to another partition and lose its order.
 */
export type Topic = {
  readonly name: string;
  readonly partitions: number;
  /** −1 keeps everything. */
  readonly retentionMs: number;
  /**
   * The newest record of a key contains the whole state. An engine may delete earlier ones, and a reader must
   * not need them.
   */
  readonly isCompacted?: boolean;
};

const KEEP = -1;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Add new topics at the end: their order is part of the sequences in the tables (`events/event-sequence.ts`). */
export const TOPICS = [
  // One partition for each chain, by the chain's place in `CHAINS`.
  { name: 'transfers.head', partitions: 16, retentionMs: KEEP },
  // Finalised blocks only, keyed by short runs of blocks (events/history-key.ts), so that history never queues before the head.
  { name: 'transfers.history', partitions: 8, retentionMs: KEEP },
  // Finished replays and ranges: the only source for checkpoints.
  { name: 'ingest.checkpoints', partitions: 1, retentionMs: KEEP },
  { name: 'ingest.ranges', partitions: 1, retentionMs: KEEP },
  // Keyed by payer. One worker decides for all of them; partitions only spread a broker's load. Commands have
  // no meaning once they are decided.
  { name: 'ledger.commands', partitions: 8, retentionMs: 7 * DAY_MS },
  { name: 'ledger.events', partitions: 8, retentionMs: KEEP },
  // Few records, read as a whole by every API process.
  { name: 'accounts', partitions: 1, retentionMs: KEEP },
  // Keyed by wallet: the order of its records decides which of two claims is valid.
  { name: 'payments', partitions: 8, retentionMs: KEEP },
  // Answers that may be requested again: not yet paid for, or under an Idempotency-Key.
  { name: 'payments.answers', partitions: 4, retentionMs: DAY_MS },
  { name: 'dead-letters', partitions: 1, retentionMs: 90 * DAY_MS },
  // Labels, keyed by chain:address, so that statements about one address keep their order.
  { name: 'labels', partitions: 8, retentionMs: KEEP },
  // Facts about assets that blocks do not contain: few, and in order for each asset.
  { name: 'assets', partitions: 1, retentionMs: KEEP },
  { name: 'prices', partitions: 1, retentionMs: KEEP },
  // Wallets whose history should be backfilled because somebody asked, and the progress of those backfills.
  { name: 'wallets.asked', partitions: 1, retentionMs: 7 * DAY_MS },
  { name: 'wallets.read', partitions: 1, retentionMs: 30 * DAY_MS, isCompacted: true },
  // Sessions, which last half a day. Each start reads all of them, and anybody may sign in.
  { name: 'sessions', partitions: 1, retentionMs: DAY_MS },
  // The calls of Idempotency-Keys. Kept for twice the day that a key is valid, so that no valid part is
  // missing.
  { name: 'idempotency-keys', partitions: 1, retentionMs: 2 * DAY_MS },
  // The events of jobs with many traces, in one order, and their anchors and results, which are valid when an
  // event names them. A job ends a day before its records do.
  { name: 'retrace.jobs', partitions: 1, retentionMs: 30 * DAY_MS },
  { name: 'retrace.results', partitions: 4, retentionMs: 31 * DAY_MS },
  // Keyed like the ledger's events. Refusals change no balance and cost nothing. A process reads from them
  // the outcome of its commands, and a new process which commands were already refused.
  { name: 'ledger.refusals', partitions: 8, retentionMs: HOUR_MS },
  // The windows of histories that were read from their chains, keyed by chain:address.
  { name: 'history.listed', partitions: 1, retentionMs: KEEP },
  // The events of cases of the console, in one order, and their steps, which are read when a case is opened.
  { name: 'cases.events', partitions: 1, retentionMs: KEEP },
  { name: 'cases.steps', partitions: 4, retentionMs: KEEP },
  // What was used of the day budgets of services that list histories, keyed by budget.
  { name: 'quotas.used', partitions: 1, retentionMs: 2 * DAY_MS, isCompacted: true },
] as const satisfies readonly Topic[];
