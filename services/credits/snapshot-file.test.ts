import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openSnapshotFile } from './snapshot-file.ts';

test('where a snapshot cannot even be opened there is none: the log is read', async () => {
  const path = `${temporaryFolder()}/ledger-snapshot`;
  // A socket is there and cannot be opened, whoever asks; a file of somebody else neither, but for the superuser.
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  onTestFinished(() => void server.close());
  expect(openSnapshotFile(path).read()).toBeNull();
});
