import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { CHAINS } from '../../investigate/model/chain.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import { splitStatements } from '../../platform/warehouse-engine/split-statements.ts';
import { quoteIdentifier } from '../../platform/warehouse-engine/sql-tokens.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

const FOLDER = new URL('../../../schemas/clickhouse/', import.meta.url);
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;

export type Migration = {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
};

export type MigrationTarget = { readonly writer: WarehouseClient; readonly database: string };

/** The tables do not fit this version of the code. Nothing was changed. */
export class MigrationRefusedError extends Error {
  readonly code: 'database_newer' | 'migration_changed';
  constructor(code: MigrationRefusedError['code'], message: string) {
    super(message);
    this.name = 'MigrationRefusedError';
    this.code = code;
  }
}

/** The numbered files of `schemas/clickhouse`, in order. */
export function readMigrations(folder: URL = FOLDER): Migration[] {
  const migrations = readdirSync(folder).flatMap((file) => {
    const [, number, name] = FILE_NAME.exec(file) ?? [];
    if (!number || !name) return [];
    const sql = readFileSync(new URL(file, folder), 'utf8');
    return [{ number: Number(number), name, sql, checksum: createHash('sha256').update(sql).digest('hex') }];
  });
  return migrations.sort((a, b) => a.number - b.number);
}

/**
 * Creates the tables of a database, or updates them, and returns the migrations that it ran. An interrupted
 * migration runs again from its beginning, so each of its statements must be harmless to repeat. Throws
 * `MigrationRefusedError` when newer code created the database, or a migration was edited after it ran.
 */
export async function migrate(
  target: MigrationTarget,
  migrations: readonly Migration[] = readMigrations(),
): Promise<Migration[]> {
  const { writer, database } = target;
  const run = (query: string) => writer.command({ query, query_params: { database } });
  await run('CREATE DATABASE IF NOT EXISTS {database:Identifier} ENGINE = Atomic');
  await run(`
CREATE TABLE IF NOT EXISTS {database:Identifier}.migrations
(number UInt32, name String, checksum String, applied_at DateTime('UTC') DEFAULT now())
ENGINE = ReplacingMergeTree ORDER BY number SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`);
  const applied = await readApplied(writer, '{database:Identifier}.migrations', { database });
  check(applied, migrations);
  const missing = migrations.filter(({ number }) => !applied.has(number));
  for (const migration of missing) {
    for (const statement of splitStatements(migration.sql)) await run(inDatabase(statement, database));
    await writer.command({
      query: `INSERT INTO {database:Identifier}.migrations (number, name, checksum)
SELECT {number:UInt32}, {name:String}, {checksum:String}`,
      query_params: {
        database,
        number: migration.number,
        name: migration.name,
        checksum: migration.checksum,
      },
    });
  }
  await nameWrappedCoins(target);
  return missing;
}

/** A plain view would take a query parameter for one of its own, so there the name itself is inserted. */
const inDatabase = (statement: string, database: string): string =>
  statement.startsWith('CREATE VIEW')
    ? statement.replaceAll('{database:Identifier}', quoteIdentifier(database))
    : statement;

/**
 * Whether every migration has run, for processes that do not run them; false also when nothing exists yet.
 * Throws `MigrationRefusedError` like `migrate`.
 */
export async function isMigrated(
  client: WarehouseClient,
  migrations: readonly Migration[] = readMigrations(),
): Promise<boolean> {
  const applied = await readApplied(client, 'migrations').catch(() => null);
  if (!applied) return false;
  check(applied, migrations);
  return migrations.every(({ number }) => applied.has(number));
}

async function readApplied(
  client: WarehouseClient,
  table: string,
  params: { database?: string } = {},
): Promise<Map<number, string>> {
  const query = `SELECT number, checksum FROM ${table} FINAL ORDER BY number`;
  return new Map(await askRows<[number, string]>(client, query, params));
}

function check(applied: ReadonlyMap<number, string>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map(({ number, checksum }) => [number, checksum]));
  for (const [number, checksum] of applied) {
    if (!known.has(number)) {
      throw new MigrationRefusedError(
        'database_newer',
        `the database has migration ${number}, which this version does not know: it was made by a newer one`,
      );
    }
    if (known.get(number) !== checksum) {
      throw new MigrationRefusedError(
        'migration_changed',
        `these tables are not this version's: migration ${number} has changed since it made them; \`spoor rebuild\` makes them anew from the log`,
      );
    }
  }
}

/**
 * The supported chains with their wrapped coin. Movements of it get the canonical asset of the coin when they
 * are inserted.
 */
async function nameWrappedCoins({ writer, database }: MigrationTarget): Promise<void> {
  const chains = CHAINS.map(({ name }) => name);
  const assets = CHAINS.map(({ wrappedNative }) => wrappedNative);
  await writer.command({
    query: `
INSERT INTO {database:Identifier}.wrapped_native (chain, asset)
SELECT pair.1, pair.2 FROM (SELECT arrayJoin(arrayZip({chains:Array(String)}, {assets:Array(String)})) AS pair)
WHERE pair NOT IN (SELECT chain, asset FROM {database:Identifier}.wrapped_native)`,
    query_params: { database, chains, assets },
  });
}
