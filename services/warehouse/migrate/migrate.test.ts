import { expect, test } from 'vitest';
import { KNOWN_ASSETS } from '../../investigate/model/known-assets.ts';
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
  const emptied = new Set<string>();
  for (const statement of statements) {
    const [, verb = '', table = ''] =
      /^(TRUNCATE TABLE|INSERT INTO) \{database:Identifier\}\.(\w+)/.exec(statement) ?? [];
    if (verb === 'TRUNCATE TABLE') emptied.add(table);
    // Filled again from nothing.
    else if (verb === 'INSERT INTO') expect(emptied, table).toContain(table);
    else
      expect(statement).toMatch(
        /^CREATE (TABLE|(MATERIALIZED )?VIEW) IF NOT EXISTS \{database:Identifier\}\./,
      );
  }
});

test('the tables’ kinds of movements are those of the code, number for number', () => {
  const expected = MOVEMENT_KINDS.map((kind, number) => `'${kind}' = ${number}`).join(', ');
  const enums = statements.join('\n').match(/Enum8\('transfer'[^)]*\)/g) ?? [];
  expect(enums.length).toBeGreaterThan(3);
  for (const found of enums) expect(found.replace(/\s+/g, ' ')).toBe(`Enum8(${expected})`);
});

test('dealings are those in the coin and in every stablecoin that the code knows', () => {
  const stablecoins = KNOWN_ASSETS.filter(({ stablecoin }) => stablecoin).map(({ asset }) => asset);
  const lists = statements
    .filter((statement) => /(TO|INSERT INTO) \{database:Identifier\}\.dealings\s/.test(statement))
    .map((statement) => /asset_family IN \(([^)]*)\)/.exec(statement)?.[1]?.match(/[^\s',]+/g));
  expect(lists).toHaveLength(2);
  for (const list of lists) expect(new Set(list)).toEqual(new Set(['native', ...stablecoins]));
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
