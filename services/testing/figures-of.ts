import { expect } from 'vitest';
import { PROGRAMS, runProgram } from './run-program.ts';

type Figure = { name: string; value: number; met: boolean | null; details?: Record<string, number> };

/** What a program of measurement prints: figures by name, without the summary that ends them. */
export const figuresOf = async (program: 'evaluate' | 'bench', ...args: string[]) => {
  const { code, stdout, stderr } = await runProgram(PROGRAMS[program], args, {});
  expect(code, stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figure);
  expect(lines.at(-1)).toMatchObject({ name: 'summary', figures: lines.length - 1 });
  return Object.fromEntries(lines.slice(0, -1).map((figure) => [figure.name, figure]));
};
