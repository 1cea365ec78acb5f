import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEventLog } from '../event-log.contract.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';

describeEventLog('embedded event log', {
  provision: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spoor-log-'));
    return {
      open: (options) => openEmbeddedLog({ ...options, folder }),
      remove: () => rm(folder, { recursive: true }),
    };
  },
});
