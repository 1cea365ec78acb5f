import type { DatabaseSync } from 'node:sqlite';
import type { Commit } from '../event-log.ts';
import { inTransaction } from './in-transaction.ts';
import type { createInsertRecords, RecordPack } from './insert-records.ts';
import { isGone, ownIdentity } from './process-identity.ts';

type Member = { readonly group: string; readonly member: string };

/**
 * Stores the holders of consumer groups. Taking, renewing and committing are write transactions on one row,
 * so a member that slept past its lease finds out before it can commit.
 */
export const createGroupLeases = (
  db: DatabaseSync,
  insertRecords: ReturnType<typeof createInsertRecords>,
) => {
  const self = ownIdentity();
  const readLease = db.prepare('SELECT * FROM group_leases WHERE group_name = ?');
  const takeLease = db.prepare(`
    INSERT OR REPLACE INTO group_leases (group_name, epoch, member, machine, pid, started_at, expires_unix_ms)
    VALUES (?, 1, ?, ?, ?, ?, ?)`);
  const renewLease = db.prepare(
    'UPDATE group_leases SET expires_unix_ms = ? WHERE group_name = ? AND member = ?',
  );
  // A process has many groups that are used only once.
  const endLease = db.prepare('DELETE FROM group_leases WHERE group_name = ? AND member = ?');
  const writeCommit = db.prepare(`
    INSERT INTO commits (group_name, topic, partition, next_offset, metadata) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET next_offset = excluded.next_offset, metadata = excluded.metadata`);
  const deleteCommits = db.prepare('DELETE FROM commits WHERE group_name = ?');

  const isHeld = (group: string, nowUnixMs: number): boolean => {
    const lease = readLease.get(group);
    if (lease === undefined || lease.member === null || Number(lease.expires_unix_ms) <= nowUnixMs)
      return false;
    const startedAt = lease.started_at;
    return !isGone({
      machine: String(lease.machine),
      pid: Number(lease.pid),
      startedAt: typeof startedAt === 'string' ? startedAt : null,
    });
  };

  return {
    /** False while another member holds the group. */
    acquire: (request: Member & { nowUnixMs: number; leaseMs: number }): boolean =>
      inTransaction(db, () => {
        const { group, member, nowUnixMs, leaseMs } = request;
        if (isHeld(group, nowUnixMs)) return false;
        takeLease.run(group, member, self.machine, self.pid, self.startedAt, nowUnixMs + leaseMs);
        return true;
      }),
    /** False when another member took over. */
    renew: ({ group, member, expiresUnixMs }: Member & { expiresUnixMs: number }): boolean =>
      inTransaction(db, () => Number(renewLease.run(expiresUnixMs, group, member).changes) === 1),
    release: ({ group, member }: Member): void => {
      inTransaction(db, () => endLease.run(group, member));
    },
    /**
     * The records' offsets; null when another member took over, and then nothing was appended or committed.
     */
    transact: (request: Member & RecordPack & { commits: readonly Commit[] }): Float64Array | null =>
      inTransaction(db, () => {
        const { group, member, commits } = request;
        if (readLease.get(group)?.member !== member) return null;
        for (const { topic, partition, offset, metadata } of commits)
          writeCommit.run(group, topic, partition, offset, metadata);
        return insertRecords(request);
      }),
    /** False while a member holds the group. */
    forget: ({ group, nowUnixMs }: { group: string; nowUnixMs: number }): boolean =>
      inTransaction(db, () => {
        if (isHeld(group, nowUnixMs)) return false;
        deleteCommits.run(group);
        return true;
      }),
  };
};
