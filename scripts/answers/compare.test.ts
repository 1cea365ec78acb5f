import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compare } from './compare.ts';

test('every answer that differs by a byte is named, and every question that only one recording has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'answers-'));
  const [before, after] = [join(folder, 'before'), join(folder, 'after')];
  await writeFile(before, '"same"\t{"a":1}\n"other"\t{"a":1}\n"gone"\t{}\n');
  await writeFile(after, '"other"\t{"a":2}\n"same"\t{"a":1}\n"new"\t{}\n');
  const { same, differences } = await compare(before, after);
  await rm(folder, { recursive: true });
  expect(same).toBe(1);
  expect(differences).toEqual([
    { name: '"other"', before: '{"a":1}', after: '{"a":2}' },
    { name: '"new"', before: null, after: '{}' },
    { name: '"gone"', before: '{}', after: null },
  ]);
});
