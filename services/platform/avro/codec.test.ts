import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createCodec } from './codec.ts';
import { openLocalRegistry } from './local-registry.ts';
import { parseSchema } from './schemas.ts';

const schemaOf = (name: string, ...fields: object[]) =>
  parseSchema(JSON.stringify({ type: 'record', name, namespace: 'spoor', fields }));
const WALLET = { name: 'wallet', type: 'string' };
const FIRST = schemaOf('Seen', WALLET);
const SECOND = schemaOf('Seen', WALLET, { name: 'times', type: 'int', default: 1 });
const OTHER = schemaOf('Other', WALLET);

const openRegistry = () => openLocalRegistry(join(temporaryFolder(), 'registry.json'));

test('a record comes back as it was written, and one of another schema is refused', async () => {
  const registry = openRegistry();
  const codec = await createCodec(registry, SECOND, [FIRST, SECOND]);
  const other = (await createCodec(registry, OTHER, [])).encode({ wallet: 'ann' });
  expect(codec.decode(codec.encode({ wallet: 'ann', times: 3 }))).toEqual({ wallet: 'ann', times: 3 });
  expect(codec.reads(other)).toBe(false);
  expect(() => codec.decode(other)).toThrow(/a record of schema \d+ where spoor.Seen/);
});

test('what an earlier version wrote is read, and what it lacked has its default', async () => {
  const registry = openRegistry();
  const earlier = (await createCodec(registry, FIRST, [FIRST])).encode({ wallet: 'bob' });
  const codec = await createCodec(registry, SECOND, [FIRST]);
  expect(codec.reads(earlier)).toBe(true);
  expect(codec.decode(earlier)).toEqual({ wallet: 'bob', times: 1 });
});

test('records of every size come back, whatever was written before them', async () => {
  const codec = await createCodec(openRegistry(), FIRST, [FIRST]);
  const sizes = [10, 1_000, 1_030, 100_000, 0, 5_000];
  const records = sizes.map((size) => codec.encode({ wallet: 'é'.repeat(size) }));
  expect(records.map((record) => codec.decode(record))).toEqual(
    sizes.map((size) => ({ wallet: 'é'.repeat(size) })),
  );
});
