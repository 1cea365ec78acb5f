import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../testing/run-command.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { holdOutput } from './hold-output.ts';

test('a second run of the same file is refused, also through another name of its folder, and a later one is not', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'cases'));
  symlinkSync(join(folder, 'cases'), join(folder, 'same'));
  const asked = ['retrace', '--input', join(folder, 'none.csv'), '--url', 'http://127.0.0.1:1', '--out'];
  const release = holdOutput(join(folder, 'cases', 'out.jsonl'));
  for (const name of ['cases', 'same'])
    expect(await runCommand([...asked, join(folder, name, 'out.jsonl')], {})).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringContaining('another run writes'),
    });
  holdOutput(join(folder, 'cases', 'other.jsonl'))();
  release();
  const later = await runCommand([...asked, join(folder, 'same', 'out.jsonl')], {});
  expect(later).toMatchObject({ code: 1, stderr: expect.stringContaining('none.csv cannot be read') });
  expect(readdirSync(join(folder, 'cases'))).toEqual([]);
});

test('a folder that is not there is told as one', async () => {
  expect(() => holdOutput(join(temporaryFolder(), 'none', 'out.csv'))).toThrow(/cannot be written: ENOENT/);
});
