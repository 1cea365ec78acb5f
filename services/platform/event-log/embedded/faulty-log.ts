import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultyEngine } from '../event-log.faults.ts';
import { FAULT_LEASE_MS, openForFaults } from './open-for-faults.ts';

export const EMBEDDED_LOG: FaultyEngine = {
  module: join(import.meta.dirname, 'open-for-faults.ts'),
  openForFaults,
  leaseMs: FAULT_LEASE_MS,
  provision: async () => {
    const place = await mkdtemp(join(tmpdir(), 'spoor-log-'));
    return { place, remove: () => rm(place, { recursive: true }) };
  },
};
