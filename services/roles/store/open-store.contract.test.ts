import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLabelEvents } from '../../events/label-events.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from './open-store.ts';

test.each([
  ['missing', (file: string) => rmSync(file)],
  ['empty', (file: string) => truncateSync(file)],
])('a store that was used is not begun anew where its log is %s', async (_, lose) => {
  const dataFolder = temporaryFolder();
  const open = () => openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  const { folder, close } = await open();
  await close();
  const file = join(folder, 'log', 'log.sqlite');
  lose(file);
  for (let times = 0; times < 2; times++)
    await expect(open()).rejects.toMatchObject({
      code: 'log_missing',
      message: expect.stringContaining(file),
    });
  rmSync(folder, { recursive: true });
  await (await open()).close();
});

test('a log that holds records is not opened without the schemas that they are read by', async () => {
  const dataFolder = temporaryFolder();
  const open = () => openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  const store = await open();
  const file = join(store.folder, 'schemas.json');
  const events = await openLabelEvents(store.registry);
  await store.log.append([events.assert(buildLabel({ address: 'somebody', kind: 'exchange' }))]);
  await store.close();
  const schemas = readFileSync(file);
  rmSync(file);
  const missing = { code: 'registry_file_missing', message: expect.stringContaining(file) };
  await expect(open()).rejects.toMatchObject(missing);
  writeFileSync(file, '{}');
  await expect(open()).rejects.toMatchObject({ code: 'registry_file_unreadable' });
  writeFileSync(file, schemas);
  await (await open()).close();
});
