import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type AvroSchema, loadSchema, parseSchema } from './schemas.ts';
import { whyIncompatible } from './why-incompatible.ts';

const VERSIONS = new URL('../../../schemas/avro-versions/', import.meta.url);

/** Every version that a log may hold, oldest first, by the name of its schema. */
const readVersions = (): Map<string, AvroSchema[]> => {
  const numbered = readdirSync(VERSIONS).map((file) => {
    const [name = '', number = ''] = file.split('.');
    return {
      name,
      number: Number(number),
      schema: parseSchema(readFileSync(new URL(file, VERSIONS), 'utf8')),
    };
  });
  const byName = Map.groupBy(
    numbered.toSorted((a, b) => a.number - b.number),
    ({ name }) => name,
  );
  return new Map([...byName].map(([name, versions]) => [name, versions.map(({ schema }) => schema)]));
};

const versions = readVersions();

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
