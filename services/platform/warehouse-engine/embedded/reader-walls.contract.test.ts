import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Engine, type EngineQuery } from './engine.ts';
import { EngineException } from './engine-exception.ts';
import { ReaderWalls } from './reader-walls.ts';
import { StatementReader } from './statement-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'spoor-walls-'));
const engine = new Engine(join(folder, 'data'), []);
afterAll(() => {
  engine.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The engine, but that this comes before everything it runs. */
const before = (look: (query: EngineQuery) => void): Engine =>
  new Proxy(engine, {
    get: (target, name) => {
      if (name !== 'run') return Reflect.get(target, name);
      return async (query: EngineQuery) => {
        look(query);
        return target.run(query);
      };
    },
  });

test('readers are let through again once the engine can say which functions it has', async () => {
  let failures = 1;
  const walls = new ReaderWalls(
    before(({ statement }) => {
      if (statement.includes('system.functions') && failures-- > 0)
        throw new EngineException(241, 'MEMORY_LIMIT_EXCEEDED', 'no memory');
    }),
    'default',
  );
  const statement = await new StatementReader(engine, 1_000_000).read('SELECT 1');
  await expect(walls.check(statement, 'default')).rejects.toMatchObject({ code: 241 });
  await walls.check(statement, 'default');
});

test('statements are remembered up to a bound of what they are made of, the latest ones', async () => {
  let asked = 0;
  const reader = new StatementReader(
    before(() => {
      asked += 1;
    }),
    1_000_000,
  );
  const statement = (n: number, tokens = 4_000) => `SELECT ${n}${',1'.repeat(tokens / 2)}`;
  for (const text of [statement(0), statement(0)]) await reader.read(text);
  expect(asked).toBe(1);
  for (let n = 1; n <= 60; n++) await reader.read(statement(n));
  asked = 0;
  for (const n of [60, 59, 30]) await reader.read(statement(n));
  expect(asked).toBe(0);
  await reader.read(statement(0));
  expect(asked).toBe(1);
  for (const text of [statement(0, 6_000), statement(0, 6_000)]) await reader.read(text);
  expect(asked).toBe(3);
});
