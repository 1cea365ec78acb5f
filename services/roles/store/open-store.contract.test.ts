import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLabelEvents } from '../../events/label-events.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from './open-store.ts';

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
