import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openLocalRegistry, RegistryFileError } from './local-registry.ts';
import { testSchemaRegistry } from './schema-registry.contract.ts';
import { loadSchema } from './schemas.ts';

describe('the registry in a file', () => {
  let path: string;
  beforeEach(() => {
    path = join(temporaryFolder(), 'registry.json');
  });
  testSchemaRegistry(() => openLocalRegistry(path));

  test('a damaged file is an error that says so, never an empty registry', async () => {
    writeFileSync(path, '{"schemas": [');
    await expect(openLocalRegistry(path).register(loadSchema('BlockTransfers'))).rejects.toThrow(
      RegistryFileError,
    );
  });
});
