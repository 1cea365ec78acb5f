import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { figuresOf } from '../../testing/figures-of.ts';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';

type Figures = Awaited<ReturnType<typeof figuresOf>>;

/** As small as they can be: a figure of such a size says nothing but that there is one. */
const SMALL: Readonly<Record<string, readonly string[]>> = {
  api: ['--runs', '1'],
  ledger: ['--runs', '1', '--events', '20000'],
  live: ['--seconds', '5', '--transfers', '500'],
};

const expectMeasured = (figures: Figures): void => {
  expect(Object.keys(figures).length).toBeGreaterThan(0);
  for (const { name, value } of Object.values(figures)) expect(value, name).toBeGreaterThanOrEqual(0);
};

test.each(Object.entries(SMALL))('bench %s measures at a small size', async (name, size) => {
  expectMeasured(await figuresOf('bench', name, ...size));
});

describeWithSharedData('of a real block', () => {
  test('bench decode measures', async () => {
    const block = sharedData('solana/blocks/443787702.json.gz');
    expectMeasured(await figuresOf('bench', 'decode', '--block', block));
  });
});

test('every evaluation that docs quote with a figure is run by a test', () => {
  const headings = readFileSync('docs/benchmarks.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('## `evaluate -- '));
  const names = headings.flatMap((line) =>
    [...line.matchAll(/`(?:evaluate -- )?([a-z]+)[^`]*`/g)].map(([, name = '']) => name),
  );
  const tests = readFileSync('services/cli/commands/evaluate.long.test.ts', 'utf8').replaceAll(/\s+/g, ' ');
  expect(names.length).toBeGreaterThan(8);
  // `mixer` runs on invented events in scripts/evaluate: the real ones take minutes.
  expect(names.filter((name) => name !== 'mixer' && !tests.includes(`'evaluate', '${name}'`))).toEqual([]);
});
