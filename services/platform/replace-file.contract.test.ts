import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mountSmallDisk } from '../testing/service/small-disk.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { replaceFile } from './replace-file.ts';

const OLD = 'what records cannot be read without\n';
/** More than one page of memory: of less a disk takes all or nothing. */
const NEW = 'a'.repeat(200_000);

test('a disk that takes a part only leaves the file as it was, says so, and is left no draft', (context) => {
  const disk = mountSmallDisk(context);
  const path = join(disk.folder, 'file');
  writeFileSync(path, OLD);
  disk.fill(100_000);
  expect(() => replaceFile(path, NEW)).toThrow('ENOSPC');
  expect(readFileSync(path, 'utf8')).toBe(OLD);
  expect(readdirSync(disk.folder).toSorted()).toEqual(['ballast', 'file']);
  disk.free();
  replaceFile(path, NEW);
  expect(readFileSync(path, 'utf8')).toBe(NEW);
});

test('a file is for its owner only where that is asked for', () => {
  const path = join(temporaryFolder(), 'file');
  replaceFile(path, OLD, { mode: 0o600 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
