import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { LogClosedError } from '../event-log.ts';
import { startWriter } from './writer.ts';

test('a writing thread that ended by itself is told to the call that waits, and is a closed log to all that come', async () => {
  const writer = startWriter({ file: join(temporaryFolder(), 'no-folder', 'log.sqlite'), lockTimeoutMs: 1 });
  const call = () => writer.call('prune', { partitionId: 1, beforeUnixMs: 0 });
  await expect(call()).rejects.toMatchObject({ code: 'log_cannot_open' });
  await expect(call()).rejects.toBeInstanceOf(LogClosedError);
  await expect(call()).rejects.toMatchObject({ cause: { code: 'log_cannot_open' } });
  await writer.stop();
});
