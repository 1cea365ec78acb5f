import type { EventLog, PartitionRange } from '../platform/event-log/event-log.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { compareTables, readTablesNext, type TableDifference } from './audit-tables.ts';
import { EVENTS } from './books-view.ts';
import { identifyLog } from './identify-log.ts';
import type { LedgerCodec } from './ledger-codec.ts';
import { type AuditProblem, ReplayedLedger } from './replayed-ledger.ts';
import type { Snapshot } from './snapshot-file.ts';

export type Audit = {
  readonly events: number;
  readonly payers: number;
  readonly reserved: number;
  readonly posted: number;
  readonly voided: number;
  readonly open: number;
  readonly creditsAdded: number;
  readonly creditsLeft: number;
  /** Whether there was a snapshot of this log to compare. */
  readonly snapshot: boolean;
  /** null where there were no tables to compare. */
  readonly tables: TablesAudit | null;
  /** Empty where every balance equals the sum of its events. */
  readonly problems: readonly AuditProblem[];
};

type TablesAudit = {
  /** Events of the log that the tables do not hold yet. */
  readonly lag: number;
  /** Payers whose events reached the tables while these were read. They are not compared. */
  readonly moving: number;
};

/** The tables, and the consumer group that fills them. */
type AuditedTables = { readonly client: WarehouseClient; readonly group: string };

export type AuditRequest = {
  readonly log: EventLog;
  readonly codec: LedgerCodec;
  readonly snapshot: Snapshot | null;
  readonly tables: AuditedTables | null;
  /** Registers the counters of events read. */
  readonly watch?: (replayed: { readonly events: number }) => void;
};

const DIFFERENCES_MAX = 10_000;

/**
 * Reads every ledger event and computes every balance twice: by the ledger's rules, and by plain addition.
 * Compares both results, and compares the snapshot and the tables with the ledger at the same offsets.
 */
export const auditLedger = async (request: AuditRequest): Promise<Audit> => {
  const { log, tables } = request;
  const snapshot = await ofThisLog(request);
  const replayed = new ReplayedLedger({ ...request, snapshot });
  request.watch?.(replayed);
  const ranges = await log.ranges(EVENTS);
  for (const { partition, begin } of ranges)
    if (begin > 0) replayed.report('', `events before ${begin} of partition ${partition} are gone`);
  const tablesAudit = tables && (await auditTables(request, tables, replayed, ranges));
  await replayed.readOn(new Map(ranges.map(({ partition, end }) => [partition, end])));
  replayed.compareTallies();
  const { events, problems } = replayed;
  return { events, ...addAll(replayed), snapshot: snapshot !== null, tables: tablesAudit, problems };
};

/** The ledger ignores a snapshot of another log, and so does its audit. */
const ofThisLog = async ({ log, snapshot }: AuditRequest): Promise<Snapshot | null> => {
  if (snapshot === null) return null;
  const identity = await identifyLog(log, EVENTS, snapshot.next);
  return identity === snapshot.logIdentity ? snapshot : null;
};

/** The tables may grow while they are read. Payers whose events arrived meanwhile are not compared. */
const auditTables = async (
  { log }: AuditRequest,
  { client, group }: AuditedTables,
  replayed: ReplayedLedger,
  ranges: readonly PartitionRange[],
): Promise<TablesAudit> => {
  const partitions = ranges.map(({ partition }) => partition);
  const readNext = (): Promise<Map<number, number>> => readTablesNext(client, partitions);
  // The first round reads the whole log. The tables have grown by then, so a second, short round follows.
  await replayed.readOn(await readNext());
  const next = await readNext();
  await replayed.readOn(next);
  const differences: TableDifference[] = [];
  for await (const difference of compareTables(client, replayed.books, replayed.tallies.keys()))
    if (differences.push(difference) === DIFFERENCES_MAX) break;
  const commits = await log.commits(group);
  const nextAfter = await readNext();
  const moving = await replayed.readOn(nextAfter);
  for (const { payer, problem } of differences) if (!moving.has(payer)) replayed.report(payer, problem);
  for (const { topic, partition, offset } of commits)
    if (topic === EVENTS && offset > (nextAfter.get(partition) ?? 0))
      replayed.report('', `the tables lack the last events of partition ${partition} before ${offset}`);
  const lag = ranges.reduce(
    (sum, { partition, end }) => sum + Math.max(0, end - (next.get(partition) ?? 0)),
    0,
  );
  return { lag, moving: moving.size };
};

const addAll = ({ tallies }: ReplayedLedger) => {
  const total = { reserved: 0, posted: 0, voided: 0, creditsAdded: 0, open: 0, creditsLeft: 0 };
  for (const { counts, left, openCalls } of tallies.values()) {
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) total[name] += counts[name];
    total.open += openCalls;
    total.creditsLeft += left.credits;
  }
  return { payers: tallies.size, ...total };
};
