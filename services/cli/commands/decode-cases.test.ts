import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import { decodeFiles } from './decode.ts';

type Case = { readonly input: string; readonly expected: string; readonly problem_wanted: string | null };
type Line = Record<string, unknown>;

const FOLDER = sharedData('cases/decode');

const listCases = (): string[] =>
  existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'case.json'))) : [];

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

/** Rows as a set that may hold one twice; where among others they stand is not asked. */
const rowsOf = (text: string): string[] =>
  linesOf(text)
    .map(({ index: _, ...row }) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))
    .sort();

const collect = () => {
  const pieces: string[] = [];
  const stream = new Writable({
    write: (piece, _, done) => {
      pieces.push(String(piece));
      done();
    },
  });
  return { stream, text: () => pieces.join('') };
};

const isTold = ({ error, problems, exempt }: Line): boolean =>
  error !== undefined || [problems, exempt].some((counts) => Object.keys(counts ?? {}).length > 0);

describeWithSharedData('blocks that public bug reports are of', () => {
  test.each(listCases())('%s: what moved is told, and what is wrong is not kept quiet', async (name) => {
    const folder = join(FOLDER, name);
    const { input, problem_wanted } = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as Case;
    const out = collect();
    const err = collect();
    await decodeFiles([join(folder, input)], { chain: null }, { out: out.stream, err: err.stream });
    expect(rowsOf(out.text())).toEqual(rowsOf(readFileSync(join(folder, 'expected.jsonl'), 'utf8')));
    if (problem_wanted !== null) expect(linesOf(err.text()).some(isTold)).toBe(true);
  });
});
