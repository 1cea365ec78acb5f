import { createHash } from 'node:crypto';
import { analystDatabaseOf } from '../../platform/warehouse-engine/analyst-database.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import { quoteIdentifier, quoteString } from '../../platform/warehouse-engine/sql-tokens.ts';
import type { MigrationTarget } from '../migrate/migrate.ts';
import type { AnalystView } from './analyst-view.ts';
import { LISTS, listStatement } from './lists.ts';
import { VIEWS } from './views.ts';

/** A list beside the tables: the created views with a checksum of their text. Written last. */
const MADE = 'analyst_views';

/**
 * Creates the views for analysts, once the tables exist. Recreates them when a text changed or another user
 * creates them: views read with their creator's rights, so that analysts need no rights to the tables. Drops
 * its earlier views that are not in `views` any more.
 */
export const makeViews = async (
  { writer, database }: MigrationTarget,
  views: readonly AnalystView[] = VIEWS,
): Promise<void> => {
  const analyst = analystDatabaseOf(database);
  const lists = LISTS.map((list) => listStatement(list, database));
  const statements = views.map((view) => viewStatement(view, database));
  const [[maker] = ['']] = await askRows<[string]>(writer, 'SELECT currentUser()');
  const checksum = createHash('sha256')
    .update([maker, ...lists, ...statements].join(';'))
    .digest('hex');
  const made = await readMade({ writer, database });
  const there = await readNames(writer, analyst);
  const isMade = ({ name }: AnalystView): boolean => made.get(name) === checksum && there.has(name);
  const removed = [...made.keys()].filter((name) => !views.some((view) => view.name === name));
  if (views.every(isMade) && removed.length === 0) return;
  // No bound parameters, because one in the statement would become a parameter of the view.
  const run = (query: string) => writer.command({ query });
  await run(`CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(analyst)} ENGINE = Atomic`);
  for (const list of lists) await run(list);
  await Promise.all(statements.map(run));
  for (const name of removed)
    await run(`DROP VIEW IF EXISTS ${quoteIdentifier(analyst)}.${quoteIdentifier(name)}`);
  const rows = views.map(({ name }) => [name, checksum]);
  await run(listStatement({ name: MADE, columns: ['view', 'checksum'], rows }, database));
};

/** The checksum of each created view; empty when there is none, or only one in an earlier form. */
const readMade = async ({ writer, database }: MigrationTarget): Promise<ReadonlyMap<string, string>> => {
  const query = `SELECT view, checksum FROM ${quoteIdentifier(database)}.${MADE}`;
  return new Map(await askRows<[string, string]>(writer, query).catch(() => []));
};

const readNames = async (
  writer: MigrationTarget['writer'],
  database: string,
): Promise<ReadonlySet<string>> => {
  const query = 'SELECT name FROM system.tables WHERE database = {database:String}';
  return new Set((await askRows<[string]>(writer, query, { database })).map(([name]) => name));
};

const viewStatement = (view: AnalystView, database: string): string => {
  const columns = view.columns.map(
    ([name, type, comment]) => `${quoteIdentifier(name)} ${type} COMMENT ${quoteString(comment)}`,
  );
  return `CREATE OR REPLACE VIEW ${quoteIdentifier(analystDatabaseOf(database))}.${quoteIdentifier(view.name)}
(${columns.join(',\n')})
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS ${view.query(quoteIdentifier(database)).trim()}
COMMENT ${quoteString(view.comment)}`;
};
