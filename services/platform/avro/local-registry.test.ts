import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLocalRegistry, RegistryFileError } from './local-registry.ts';
import { parseSchema } from './schemas.ts';
import { splitRecord, WireFormatError, writeHeader } from './wire-format.ts';

const schemaOf = (name: string, field = 'a') =>
  parseSchema(JSON.stringify({ type: 'record', name, fields: [{ name: field, type: 'string' }] }));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spoor-registry-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the same schema keeps its id over restarts, and another schema of the same name gets one of its own', async () => {
  const path = join(folder, 'registry.json');
  const first = await openLocalRegistry(path).register(schemaOf('A'));
  const second = await openLocalRegistry(path).register(schemaOf('A', 'b'));
  expect(await openLocalRegistry(path).register(schemaOf('A'))).toBe(first);
  expect(second).not.toBe(first);
  expect((await openLocalRegistry(path).schemaOf(second))?.fingerprint).toBe(schemaOf('A', 'b').fingerprint);
});

test('an id that was never handed out has no schema', async () => {
  expect(await openLocalRegistry(join(folder, 'registry.json')).schemaOf(99)).toBeNull();
});

test('a damaged registry file is an error that says so, never an empty registry', async () => {
  const path = join(folder, 'registry.json');
  writeFileSync(path, '{"schemas": [');
  await expect(openLocalRegistry(path).register(schemaOf('A'))).rejects.toThrow(RegistryFileError);
});

test('a record without the header is refused with the reason', () => {
  expect(() => splitRecord(Buffer.from([0, 0, 0]))).toThrow(WireFormatError);
  expect(() => splitRecord(Buffer.from([1, 0, 0, 0, 1, 2]))).toThrow('starts with byte 1');
});

test('a header says which schema follows', () => {
  const record = Buffer.alloc(8, 7);
  writeHeader(record, 300);
  expect(splitRecord(record)).toEqual({ schemaId: 300, body: Buffer.from([7, 7, 7]) });
});
