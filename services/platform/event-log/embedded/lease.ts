import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { type Commit, type ConsumeRequest, GroupHeldError, type LogError } from '../event-log.ts';
import type { RecordPack } from './insert-records.ts';
import type { Writer } from './writer.ts';

const WAIT_MS = 30_000;
const RETRY_MS = 100;
const RENEWALS_A_LEASE = 3;

/** The right to read and commit for a group, until another member takes it. */
export type Lease = {
  /** True once the loss is known. A member that slept learns it at its next renewal or commit. */
  isLost(): boolean;
  /** The offsets of the records; null when the lease is lost, and then nothing was appended or committed. */
  transact(request: RecordPack & { commits: readonly Commit[] }): Promise<Float64Array | null>;
  release(): Promise<void>;
};

type Options = {
  readonly writer: Writer;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly onLost: () => void;
  readonly onError: (error: LogError) => void;
};

const waitForLease = async (request: ConsumeRequest, member: string, options: Options): Promise<void> => {
  const { group, waitMs = WAIT_MS, signal } = request;
  const { writer, clock, leaseMs } = options;
  const deadline = performance.now() + waitMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await writer.call('acquire', { group, member, nowUnixMs: clock.nowUnixMs(), leaseMs })) return;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new GroupHeldError(group);
    await sleep(Math.min(RETRY_MS, leftMs));
  }
};

/** Waits for the group and keeps it. Throws `GroupHeldError`, the signal's reason, or errors of the file. */
export const takeLease = async (request: ConsumeRequest, options: Options): Promise<Lease> => {
  const { group } = request;
  const { writer, clock, leaseMs, onLost, onError } = options;
  const member = randomUUID();
  let isLost = false;

  const notice = (isMine: boolean): boolean => {
    if (!isMine && !isLost) {
      isLost = true;
      clearInterval(renewal);
      onLost();
    }
    return isMine;
  };
  const renew = async (): Promise<void> => {
    try {
      notice(await writer.call('renew', { group, member, expiresUnixMs: clock.nowUnixMs() + leaseMs }));
    } catch (error) {
      // For example a full disk. The lease is still ours until somebody takes it, and the next renewal may
      // work.
      onError(error as LogError);
    }
  };

  await waitForLease(request, member, options);
  const renewal = setInterval(() => void renew(), leaseMs / RENEWALS_A_LEASE).unref();
  return {
    isLost: () => isLost,
    transact: async (request) => {
      const offsets = await writer.call('transact', { group, member, ...request });
      notice(offsets !== null);
      return offsets;
    },
    release: async () => {
      clearInterval(renewal);
      // If it cannot be released, it expires, or ends with the process.
      await writer.call('release', { group, member }).catch(onError);
    },
  };
};
