import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { FaultyEngine } from '../event-log.faults.ts';
import { FAULT_LEASE_MS, openForFaults } from './open-for-faults.ts';

export const kafkaLogOn = (brokers: string): FaultyEngine => ({
  hasMarks: true,
  module: join(import.meta.dirname, 'open-for-faults.ts'),
  openForFaults,
  leaseMs: FAULT_LEASE_MS,
  provision: async () => ({ place: `${brokers}/${randomUUID()}.`, remove: async () => {} }),
});
