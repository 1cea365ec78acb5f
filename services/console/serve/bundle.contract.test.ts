import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { readBundle } from './bundle.ts';

test('what was built once is read again, and built again where it is gone', async () => {
  const folder = join(temporaryFolder(), 'kept');
  const built = await readBundle(folder);
  expect(built.script.length).toBeGreaterThan(100_000);
  expect(await readdir(folder)).toEqual([`${built.hash}.css`, `${built.hash}.js`]);
  await writeFile(join(folder, `${built.hash}.js`), 'kept');
  expect((await readBundle(folder)).script.toString()).toBe('kept');
});

test('where nothing can be kept the page is built all the same', async () => {
  const file = join(temporaryFolder(), 'file');
  await writeFile(file, '');
  const { style } = await readBundle(join(file, 'kept'));
  expect(style.toString()).toContain('.card');
  expect(existsSync(join(file, 'kept'))).toBe(false);
});

test('the page holds no secret of the service: nothing of Node is in its script', async () => {
  const { script } = await readBundle(temporaryFolder());
  expect(script.toString()).not.toMatch(/node:(fs|crypto|net)|SPOOR_/);
});
