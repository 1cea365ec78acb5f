import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IncompatibleSchemaError, type SchemaRegistry } from './schema-registry.ts';
import { type AvroSchema, loadVersions, parseSchema } from './schemas.ts';

type Field = { name: string; type: string; default?: string };

const AVRO = new URL('../../../schemas/avro/', import.meta.url);
const UNKNOWN_ID = 123_456_789;

/** A registry is shared and never forgets: each test has names of its own. */
const freshName = (): string => `spoor.test.R${randomBytes(6).toString('hex')}`;

const schemaOf = (name: string, ...fields: Field[]): AvroSchema =>
  parseSchema(JSON.stringify({ type: 'record', name, fields }));

const A: Field = { name: 'a', type: 'string' };
const B: Field = { name: 'b', type: 'string' };
const B_WITH_DEFAULT: Field = { ...B, default: '' };

/**
 * The contract of every engine of the SchemaRegistry port. `open` gives a new connection to the same registry
 * each time.
 */
export const testSchemaRegistry = (open: () => SchemaRegistry): void => {
  test('the same schema has the same id from wherever it is registered, and the id gives it back', async () => {
    const schema = schemaOf(freshName(), A);
    const id = await open().register(schema);
    expect(await open().register(schema)).toBe(id);
    const found = await open().schemaOf(id);
    expect(found).toMatchObject({ name: schema.name, fingerprint: schema.fingerprint });
  });

  test('several that register a schema for the first time at the same moment all get its one id', async () => {
    const schema = schemaOf(freshName(), A);
    const ids = await Promise.all(Array.from({ length: 6 }, () => open().register(schema)));
    expect(new Set(ids).size).toBe(1);
  });

  test('the same fields under another name are another schema', async () => {
    expect(await open().register(schemaOf(freshName(), A))).not.toBe(
      await open().register(schemaOf(freshName(), A)),
    );
  });

  test('an id that was never handed out has no schema', async () => {
    expect(await open().schemaOf(UNKNOWN_ID)).toBeNull();
  });

  test('a version that reads all earlier ones gets an id of its own, and theirs stay', async () => {
    const name = freshName();
    const first = schemaOf(name, A);
    const firstId = await open().register(first);
    const secondId = await open().register(schemaOf(name, A, B_WITH_DEFAULT));
    expect(secondId).not.toBe(firstId);
    expect((await open().schemaOf(firstId))?.fingerprint).toBe(first.fingerprint);
  });

  test('a version that the next one only adds to is taken after that one as well', async () => {
    const name = freshName();
    const laterId = await open().register(schemaOf(name, A, B_WITH_DEFAULT));
    const earlierId = await open().register(schemaOf(name, A));
    expect(earlierId).not.toBe(laterId);
    expect(await open().register(schemaOf(name, A, B_WITH_DEFAULT))).toBe(laterId);
  });

  test('a version that cannot read the one before it is refused', async () => {
    const name = freshName();
    await open().register(schemaOf(name, A));
    await expect(open().register(schemaOf(name, A, B))).rejects.toThrow(IncompatibleSchemaError);
  });

  test('a version that reads the one before it but not the first is refused', async () => {
    const name = freshName();
    await open().register(schemaOf(name, A));
    await open().register(schemaOf(name, A, B_WITH_DEFAULT));
    await expect(open().register(schemaOf(name, A, B))).rejects.toThrow(IncompatibleSchemaError);
  });

  test('every schema of the service is taken and given back unchanged', async () => {
    const names = readdirSync(AVRO).map((file) => file.replace(/\.avsc$/, ''));
    expect(names).toContain('BlockTransfers');
    // Oldest first, as services do: others may use the same registry, and an older one is refused after a newer one.
    for (const schema of names.flatMap(loadVersions)) {
      const id = await open().register(schema);
      expect((await open().schemaOf(id))?.fingerprint, schema.name).toBe(schema.fingerprint);
    }
  });
};
