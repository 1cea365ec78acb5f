import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../../testing/run-program.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { LogClosedError } from '../event-log.ts';
import { logFilePath, openLogFile } from './log-file.ts';
import { startWriter } from './writer.ts';

const LEASE = { group: 'group', member: 'member', nowUnixMs: 0, leaseMs: 1_000 };

test('a writing thread that could not open the file says why, and writes once it can be opened', async () => {
  const place = temporaryFolder();
  const [here, away] = [join(place, 'here'), join(place, 'away')];
  (await openLogFile(away)).close();
  const writer = startWriter({ file: logFilePath(here), lockTimeoutMs: 1_000 });
  onTestFinished(() => writer.stop());
  for (let times = 0; times < 2; times++)
    await expect(writer.call('acquire', LEASE)).rejects.toMatchObject({ code: 'log_cannot_open' });
  renameSync(away, here);
  expect(await writer.call('acquire', LEASE)).toBe(true);
  await writer.stop();
  await expect(writer.call('acquire', LEASE)).rejects.toThrow(LogClosedError);
});

test('a program does not end before its log is closed, though nothing else keeps it', async () => {
  const place = temporaryFolder();
  (await openLogFile(place)).close();
  const program = [process.execPath, 'services/testing/log-closing-process.ts'] as const;
  expect(await runProgram(program, [logFilePath(place)], {})).toMatchObject({ code: 0, stdout: '200\n' });
});
