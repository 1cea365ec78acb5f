import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadSchema, loadVersions } from './schemas.ts';
import { whyIncompatible } from './why-incompatible.ts';

const FOLDER = new URL('../../../schemas/avro-versions/', import.meta.url);
const names = new Set(readdirSync(FOLDER).map((file) => file.split('.')[0] ?? ''));
const versions = new Map([...names].map((name) => [name, loadVersions(name)] as const));

test('the versions of what a log keeps are known', () => {
  expect([...versions.keys()]).toEqual(expect.arrayContaining(['BlockTransfers', 'LedgerEvent']));
});

test.each([...versions])('every version of %s reads all that were written before it', (_, all) => {
  for (const [i, schema] of all.entries()) expect(whyIncompatible(schema, all.slice(0, i))).toBeNull();
});

// A schema that changed without one would be compared with versions that nobody writes any more:
// copy it to schemas/avro-versions/NAME.<next number>.avsc, and never change those that are there.
test.each([...versions])('%s is written as its newest version says', (name, all) => {
  expect(all.at(-1)?.type.schema({ exportAttrs: true })).toEqual(
    loadSchema(name).type.schema({ exportAttrs: true }),
  );
});
