import { expect, test } from 'vitest';
import { CONTROL_KINDS } from '../../investigate/model/control-event.ts';
import { MOVEMENT_KINDS } from '../../investigate/model/movement.ts';
import { splitStatements } from '../../platform/warehouse-engine/split-statements.ts';
import { readMigrations } from './migrate.ts';

const migrations = readMigrations();
const statements = migrations.flatMap(({ sql }) => splitStatements(sql));

test('migrations are numbered from 1 without gaps', () => {
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, i) => i + 1));
  expect(migrations.length).toBeGreaterThan(0);
});

test('every statement names its database by the parameter, and can be repeated', () => {
  for (const statement of statements) {
    expect(statement).toMatch(
      /^CREATE (TABLE|(MATERIALIZED )?VIEW) IF NOT EXISTS \{database:Identifier\}\.|^ALTER TABLE \{database:Identifier\}\.\w+ MODIFY (SETTING|COLUMN) /,
    );
  }
});

test('the tables’ kinds of movements are those of the code, number for number', () => {
  const expected = MOVEMENT_KINDS.map((kind, number) => `'${kind}' = ${number}`).join(', ');
  const enums = statements.join('\n').match(/Enum8\('transfer'[^)]*\)/g) ?? [];
  expect(enums.length).toBeGreaterThan(3);
  for (const found of enums) expect(found.replace(/\s+/g, ' ')).toBe(`Enum8(${expected})`);
});

test('the newest kinds of control events in the tables are those of the code, number for number', () => {
  const expected = CONTROL_KINDS.map((kind, number) => `'${kind}' = ${number}`).join(', ');
  const changes = statements.flatMap(
    (statement) => /control_\w+ MODIFY COLUMN kind (Enum8\([^)]*\))/.exec(statement)?.[1] ?? [],
  );
  expect(changes.slice(-2).map((found) => found.replace(/\s+/g, ' '))).toEqual([
    `Enum8(${expected})`,
    `Enum8(${expected})`,
  ]);
});

test('every table that a batch reaches knows batches by their token and is on disk before it is confirmed', () => {
  const kept = statements.filter((statement) => /ENGINE = \w*MergeTree/.test(statement));
  const fed = statements.flatMap(
    (statement) => /VIEW .* TO \{database:Identifier\}\.(\w+)/s.exec(statement)?.[1] ?? [],
  );
  for (const table of fed.filter((name) => !name.endsWith('_in'))) {
    const created = kept.find((statement) => statement.includes(`}.${table}\n`));
    expect(created, table).toContain('non_replicated_deduplication_window = 10000');
    expect(created, table).toMatch(/fsync_after_insert = 1, fsync_part_directory = 1/);
  }
});
