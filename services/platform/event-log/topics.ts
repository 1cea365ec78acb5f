/**
 * Every topic the service knows. A topic that is the source of truth keeps everything and never changes its partition
 * count: a key would move to another partition and lose its order.
 */
export type Topic = {
  readonly name: string;
  readonly partitions: number;
  /** −1 keeps everything. */
  readonly retentionMs: number;
  /** The newest record of a key says it all: an engine may forget those before it, and a reader must not need them. */
  readonly isCompacted?: boolean;
};

const KEEP = -1;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const TOPICS = [
  // One partition a chain, assigned by the chain's place in the configuration.
  { name: 'transfers.head', partitions: 16, retentionMs: KEEP },
  // Finalised blocks only, keyed by short runs of blocks (events/history-key.ts), so that history never queues before the head.
  { name: 'transfers.history', partitions: 8, retentionMs: KEEP },
  // Finished replays and ranges: the only authority on checkpoints.
  { name: 'ingest.checkpoints', partitions: 1, retentionMs: KEEP },
  { name: 'ingest.ranges', partitions: 1, retentionMs: KEEP },
  // Keyed by payer. One worker decides for all of them; partitions only spread what a broker stores and serves.
  // Commands say nothing any more once they are decided.
  { name: 'ledger.commands', partitions: 8, retentionMs: 7 * DAY_MS },
  { name: 'ledger.events', partitions: 8, retentionMs: KEEP },
  // Few, and read as a whole by every API process.
  { name: 'accounts', partitions: 1, retentionMs: KEEP },
  // Keyed by wallet: the order of its records decides which of two claims counts.
  { name: 'payments', partitions: 8, retentionMs: KEEP },
  // Answers that may be asked for again: not yet paid for, or under an Idempotency-Key.
  { name: 'payments.answers', partitions: 4, retentionMs: DAY_MS },
  { name: 'dead-letters', partitions: 1, retentionMs: 90 * DAY_MS },
  // Labels, keyed by chain:address, so that statements about one address keep their order.
  { name: 'labels', partitions: 8, retentionMs: KEEP },
  // Facts about assets that no block tells: few, and in order for each asset.
  { name: 'assets', partitions: 1, retentionMs: KEEP },
  { name: 'prices', partitions: 1, retentionMs: KEEP },
  // Wallets whose history is to be read from a chain because somebody asked, and how far those were that have been.
  { name: 'wallets.asked', partitions: 1, retentionMs: 7 * DAY_MS },
  { name: 'wallets.read', partitions: 1, retentionMs: 30 * DAY_MS, isCompacted: true },
  // Sessions, which last half a day. Each start reads them whole, and anybody may sign in.
  { name: 'sessions', partitions: 1, retentionMs: DAY_MS },
  // Which calls Idempotency-Keys stand for: a day, and as long again, so that no part of that day is missing.
  { name: 'idempotency-keys', partitions: 1, retentionMs: 2 * DAY_MS },
  // What happens to jobs of many traces, in one order; and their anchors and results, which count where the first names
  // them. A job is forgotten a day before its records are.
  { name: 'retrace.jobs', partitions: 1, retentionMs: 30 * DAY_MS },
  { name: 'retrace.results', partitions: 4, retentionMs: 31 * DAY_MS },
  // Keyed like the ledger's events. Refusals change no books and cost nothing. A process learns from them what became
  // of its commands, and a new process which commands were refused already.
  { name: 'ledger.refusals', partitions: 8, retentionMs: HOUR_MS },
] as const satisfies readonly Topic[];
