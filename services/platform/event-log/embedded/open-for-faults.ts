import type { OpenForFaults } from '../faults/fault-log.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';

export const FAULT_LEASE_MS = 1_500;

/** What the fault suite and its child processes open: `place` is the folder. */
export const openForFaults: OpenForFaults = (place, topics) =>
  openEmbeddedLog({
    folder: place,
    topics,
    maxQueuedBytes: 1_000_000,
    maxRecordBytes: 1_000_000,
    leaseMs: FAULT_LEASE_MS,
  });
