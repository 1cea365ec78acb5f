import { createHash } from 'node:crypto';
import { analystDatabaseOf } from '../../platform/warehouse-engine/analyst-database.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import { quoteIdentifier, quoteString } from '../../platform/warehouse-engine/sql-tokens.ts';
import type { MigrationTarget } from '../migrate/migrate.ts';
import type { AnalystView } from './analyst-view.ts';
import { LISTS, listStatement } from './lists.ts';
import { VIEWS } from './views.ts';

/** Names which views are there, by a checksum of their text. Made last. */
const MADE = 'analyst_views';

/**
 * Makes the views that analysts ask, once the tables are there: again only where the text of one is another by now. They read with
 * the rights of whoever made them, so that analysts need none to the tables.
 */
export const makeViews = async ({ writer, database }: MigrationTarget): Promise<void> => {
  const analyst = analystDatabaseOf(database);
  const lists = LISTS.map((list) => listStatement(list, database));
  const views = VIEWS.map((view) => viewStatement(view, database));
  const checksum = createHash('sha256')
    .update([...lists, ...views].join(';'))
    .digest('hex');
  const counting = 'SELECT count() FROM system.tables WHERE database = {analyst:String}';
  const [[there] = ['0']] = await askRows<[string]>(writer, counting, { analyst });
  if (Number(there) >= VIEWS.length && (await readMade({ writer, database })) === checksum) return;
  await writer.command({
    query: `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(analyst)} ENGINE = Atomic`,
  });
  // No parameters: one in the statement would become one of the view.
  const make = (query: string) => writer.command({ query });
  for (const list of lists) await make(list);
  await Promise.all(views.map(make));
  const made = { name: MADE, columns: ['checksum'], rows: [[checksum]] };
  await writer.command({ query: listStatement(made, database) });
};

const readMade = async ({ writer, database }: MigrationTarget): Promise<string | undefined> => {
  const query = `SELECT checksum FROM ${quoteIdentifier(database)}.${MADE}`;
  const rows = await askRows<[string]>(writer, query).catch(() => []);
  return rows[0]?.[0];
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
