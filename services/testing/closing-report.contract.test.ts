import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const REPORTER = join(import.meta.dirname, 'closing-report.ts');

/** The last lines of a run of these tests. */
const report = (tests: string): string => {
  const folder = temporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'some.test.ts'), `import { describe, expect, test } from 'vitest';\n${tests}`);
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { ClosingReport } from '${REPORTER}';\nexport default { test: { reporters: [new ClosingReport()] } };`,
  );
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout.trim();
};

test('what could not run is named with its reason, a whole suite once, and nothing else is', () => {
  expect(
    report(`
      describe.skip('on brokers (no Java)', () => { test('a', () => {}); describe('in', () => test('b', () => {})); });
      describe('on disks', () => {
        test('is full', ({ skip }) => skip('no disk can be made'));
        test('has room', () => {});
      });
      test('fails', () => expect(1).toBe(2));
    `).split('\n'),
  ).toEqual([
    'not run: on brokers (no Java) (1)',
    'not run: on brokers (no Java) > in (1)',
    'not run: on disks > is full: no disk can be made (1)',
    '1 passed, 1 failed, 3 skipped',
  ]);
});

test('a file that cannot even be read counts as failed', () => {
  expect(report(`throw new Error('broken');`)).toBe('0 passed, 1 failed, 0 skipped');
});
