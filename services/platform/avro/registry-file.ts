import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf } from '../message-of.ts';
import { replaceFile } from '../replace-file.ts';
import { withFileLock } from '../with-file-lock.ts';
import { IncompatibleSchemaError } from './schema-registry.ts';
import { type AvroSchema, parseSchema } from './schemas.ts';

const ENTRY = z.object({
  id: z.int().positive(),
  subject: z.string(),
  fingerprint: z.string(),
  schema: z.string(),
});
const FILE = z.object({ schemas: z.array(ENTRY) });

export type Entry = Readonly<z.infer<typeof ENTRY>>;

type Problem = 'registry_file_missing' | 'registry_file_unreadable' | 'registry_file_unwritable';

const TELL: Readonly<Record<Problem, (path: string, cause: unknown) => string>> = {
  registry_file_missing: (path) =>
    `the schema registry file ${path} is missing or empty, and records of the event log beside it cannot be decoded without it; ` +
    'restore it from a backup, or move the whole store away and ingest again',
  registry_file_unreadable: (path) =>
    `the schema registry file ${path} cannot be read; restore it from a backup: without it no record can be decoded`,
  registry_file_unwritable: (path, cause) =>
    `the schema registry file ${path} cannot be written and stays as it is (${messageOf(cause)})`,
};

export class RegistryFileError extends Error {
  readonly code: Problem;
  constructor(code: Problem, path: string, cause?: unknown) {
    super(TELL[code](path, cause), { cause });
    this.name = 'RegistryFileError';
    this.code = code;
  }
}

/** Empty when there is no file. Throws `RegistryFileError` when the file has another form. */
export const readEntries = (path: string): readonly Entry[] => {
  if (!existsSync(path)) return [];
  try {
    return FILE.parse(JSON.parse(readFileSync(path, 'utf8'))).schemas;
  } catch (cause) {
    throw new RegistryFileError('registry_file_unreadable', path, cause);
  }
};

/** Throws `RegistryFileError` when the content is not valid. */
export const parseEntry = (path: string, { schema }: Entry): AvroSchema => {
  try {
    return parseSchema(schema);
  } catch (cause) {
    throw new RegistryFileError('registry_file_unreadable', path, cause);
  }
};

/**
 * Updates the file under a lock, so that an id is never lost or given out twice. The file is always the old
 * or the new one, even after a crash. Throws `RegistryFileError`, `IncompatibleSchemaError`.
 */
export const addEntry = async (
  path: string,
  choose: (entries: readonly Entry[]) => { readonly added: Entry } | { readonly known: number },
): Promise<number> => {
  try {
    return await withFileLock(`${path}.lock`, () => {
      const entries = readEntries(path);
      const chosen = choose(entries);
      if ('known' in chosen) return chosen.known;
      replaceFile(path, `${JSON.stringify({ schemas: [...entries, chosen.added] }, null, 2)}\n`);
      return chosen.added.id;
    });
  } catch (cause) {
    if (cause instanceof RegistryFileError || cause instanceof IncompatibleSchemaError) throw cause;
    throw new RegistryFileError('registry_file_unwritable', path, cause);
  }
};
