import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openLocalRegistry } from './local-registry.ts';
import { testSchemaRegistry } from './schema-registry.contract.ts';
import { loadSchema } from './schemas.ts';

describe('the registry in a file', () => {
  let path: string;
  beforeEach(() => {
    path = join(temporaryFolder(), 'registry.json');
  });
  testSchemaRegistry(() => openLocalRegistry(path));

  test.each([
    '',
    '{"schemas": [',
    '{}',
    '[]',
    '{"schemas": {}}',
    '{"schemas": [{"id": 1}]}',
    '{"schemas": [{"id": 1, "subject": "spoor.BlockTransfers", "fingerprint": "", "schema": "{"}]}',
  ])('a damaged file, as %j, is an error that names it, never an empty registry', async (text) => {
    writeFileSync(path, text);
    const registry = openLocalRegistry(path);
    const error = { name: 'RegistryFileError', message: expect.stringContaining(path) };
    await expect(registry.register(loadSchema('BlockTransfers'))).rejects.toMatchObject(error);
    await expect(registry.schemaOf(1)).rejects.toMatchObject(error);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('a file that is missing or empty beside records is an error, and nothing is registered anew', async () => {
    const schema = loadSchema('BlockTransfers');
    const open = (hasRecords: boolean) => openLocalRegistry(path, { hasRecords: async () => hasRecords });
    const error = { code: 'registry_file_missing', message: expect.stringContaining(path) };
    await expect(open(true).register(schema)).rejects.toMatchObject(error);
    writeFileSync(path, '{"schemas": []}');
    await expect(open(true).register(schema)).rejects.toMatchObject(error);
    const id = await open(false).register(schema);
    expect(await open(true).register(schema)).toBe(id);
  });

  test('a file that cannot be written is an error that says why', async () => {
    const nowhere = join(path, 'is no folder', 'registry.json');
    const registering = openLocalRegistry(nowhere).register(loadSchema('BlockTransfers'));
    await expect(registering).rejects.toMatchObject({ code: 'registry_file_unwritable' });
  });
});
