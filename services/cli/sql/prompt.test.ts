import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { runPrompt, takeStatements } from './prompt.ts';

test.each([
  ['SELECT 1;', ['SELECT 1'], ''],
  ['SELECT 1; SELECT 2;', ['SELECT 1', 'SELECT 2'], ''],
  ['SELECT 1', [], 'SELECT 1'],
  ["SELECT ';", [], "SELECT ';"],
  ["SELECT ';\n';", ["SELECT ';\n'"], ''],
  ['\\d', ['SELECT name, comment FROM system.tables WHERE database = currentDatabase()'], ''],
  ['\\d hops', ['SELECT name, type, comment FROM (DESCRIBE TABLE `hops`)'], ''],
])('%j is taken as %j and leaves %j', (typed, whole, rest) => {
  expect(takeStatements(typed)).toEqual({ whole, rest });
});

/** What is asked, and what is printed, when these lines are typed. */
const type = async (lines: readonly string[], ask = async (_: string) => {}) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asked: string[] = [];
  const printed = text(output);
  input.end(lines.map((line) => `${line}\n`).join(''));
  await runPrompt(
    (sql) => {
      asked.push(sql);
      return ask(sql);
    },
    { input, output },
  );
  output.end();
  return { asked, printed: await printed };
};

test('the prompt asks statement by statement, over lines, until it is left', async () => {
  const { asked } = await type(['SELECT', '  1;', 'SELECT 2;', '\\q', 'SELECT 3;']);
  expect(asked).toEqual(['SELECT\n  1', 'SELECT 2']);
});

test('what the engine refuses is told, harmless for the terminal, and the prompt goes on', async () => {
  const { asked, printed } = await type(['SELECT x;', 'SELECT 2;'], async (sql) => {
    if (sql.endsWith('x')) throw new Error('there is no x\u001b[2J');
  });
  expect(asked).toHaveLength(2);
  expect(printed).toContain('there is no x?[2J\n');
});
