import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { EventLog } from '../event-log.ts';
import { type EmbeddedLog, type EmbeddedLogOptions, openEmbeddedLog } from './open-embedded-log.ts';

/** A folder for each test, and logs in it that are closed after the test. */
export const createTemporaryLogs = (defaults: Omit<EmbeddedLogOptions, 'folder'>) => {
  let folder: Promise<string> | null = null;
  const opened: EventLog[] = [];
  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close();
    if (folder !== null) await rm(await folder, { recursive: true });
    folder = null;
  });
  const folderOfTest = (): Promise<string> => {
    folder ??= mkdtemp(join(tmpdir(), 'spoor-log-'));
    return folder;
  };
  return {
    folder: folderOfTest,
    open: async (options: Partial<EmbeddedLogOptions> = {}): Promise<EmbeddedLog> => {
      const log = await openEmbeddedLog({ folder: await folderOfTest(), ...defaults, ...options });
      opened.push(log);
      return log;
    },
  };
};
