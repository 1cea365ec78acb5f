import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { figuresOf } from '../../testing/figures-of.ts';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';

type Figures = Awaited<ReturnType<typeof figuresOf>>;

/** Benchmarks whose figures docs quote, as small as they can be. A figure of such a size says nothing but that there is one. */
const SMALL: Readonly<Record<string, readonly string[]>> = {
  api: ['--runs', '1'],
  follow: ['--transfers', '1000000'],
  insiders: ['--transfers', '100000'],
  ledger: ['--runs', '1', '--events', '20000'],
  live: ['--seconds', '5', '--transfers', '500'],
  retrace: ['--transfers', '20000', '--anchors', '8'],
  trace: ['--transfers', '100000'],
  victims: ['--transfers', '100000'],
};
/** In files beside this one. */
const ELSEWHERE = ['decode', 'derive', 'kafka', 'labels', 'pipeline'];

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

const engines = inject('engines');
describe.skipIf('missing' in engines)('on a broker', () => {
  test('bench kafka measures', async () => {
    expectMeasured(await figuresOf('bench', 'kafka', '--transfers', '2000'));
  });
});

test('every command that docs quote with a figure is run by a test', () => {
  const docs = readFileSync('docs/benchmarks.md', 'utf8');
  const headings = docs.split('\n').filter((line) => line.startsWith('## `'));
  const named = (program: string): string[] =>
    headings
      .filter((line) => line.includes(`\`${program} -- `))
      .flatMap((line) => [...line.matchAll(/`(?:\w+ -- )?([a-z]+)\b[^`]*`/g)].map(([, name = '']) => name));
  const evaluations = readFileSync('services/cli/commands/evaluate.long.test.ts', 'utf8');
  expect(named('bench').length).toBeGreaterThan(10);
  expect(named('bench').filter((name) => !(name in SMALL) && !ELSEWHERE.includes(name))).toEqual([]);
  // On invented events, in scripts/evaluate: a real mixer takes minutes.
  const left = named('evaluate').filter(
    (name) => name !== 'mixer' && !evaluations.includes(`'evaluate', '${name}'`),
  );
  expect(named('evaluate').length).toBeGreaterThan(5);
  expect(left).toEqual([]);
});
