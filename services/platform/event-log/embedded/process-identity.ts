import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Identifies one run of one process, so that a lease can be taken from a process that ended without releasing
 * it.
 */
export type ProcessIdentity = {
  /** The scope in which `pid` is valid: one boot of a machine and one process namespace. */
  readonly machine: string;
  readonly pid: number;
  /**
   * Distinguishes a process from a later one with the same number; null when the system does not provide it.
   */
  readonly startedAt: string | null;
};

const orNull = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/**
 * State letter and start time (clock ticks since boot) from Linux' /proc; null elsewhere and for an ended
 * process.
 */
const processStat = (pid: number): { state: string; startedAt: string } | null =>
  orNull(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name, in brackets, may contain spaces and brackets itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startedAt: fields[19] ?? '' };
  });

const thisMachine = (): string => {
  const boot = orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const namespace = orNull(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), boot ?? '', namespace ?? ''].join('/');
};

export const ownIdentity = (): ProcessIdentity => ({
  machine: thisMachine(),
  pid: process.pid,
  startedAt: processStat(process.pid)?.startedAt ?? null,
});

const hasProcess = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** True only when it is certain. A process on another machine, or a stopped one, is not gone. */
export const isGone = (identity: ProcessIdentity): boolean => {
  if (identity.machine !== thisMachine()) return false;
  if (!hasProcess(identity.pid)) return true;
  const stat = processStat(identity.pid);
  if (stat === null || identity.startedAt === null) return false;
  // A zombie has ended and waits for its parent to read its exit status.
  return stat.startedAt !== identity.startedAt || stat.state === 'Z' || stat.state === 'X';
};
