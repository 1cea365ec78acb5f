import { isSymbol, isWord, quoteIdentifier, quoteString, type Token, tokenize } from '../sql-tokens.ts';

export type Cluster = {
  /** Its name in the servers' `remote_servers`. */
  readonly name: string;
  /** The sharding expression of each table; undefined when none was chosen yet. */
  readonly shardingKeyOf: (table: string) => string | undefined;
};

export type Statement = { readonly query: string; readonly query_params?: Record<string, unknown> };

/** A statement that changes tables, and that this code does not know how to run on a cluster. */
export class ClusterStatementError extends Error {
  readonly code = 'cluster_statement';
  constructor(problem: string, query: string) {
    super(`${problem}: ${query.slice(0, 200)}`);
    this.name = 'ClusterStatementError';
  }
}

/**
 * Each server keeps the tables of rows under their own names in this database. The other database spreads
 * over all servers.
 */
const localDatabaseOf = (database: string): string => `${database}_local`;

/**
 * Translates a statement for a single server to one for a cluster. A table of rows becomes a replicated one
 * on every server, and a distributed one under its own name. Tables without rows and views are created on
 * every server. Rows are deleted on the servers that hold them. Statements that change no table stay as they
 * are. `database` is the client's own.
 */
export const toClusterStatements = (
  statement: Statement,
  cluster: Cluster,
  database: string,
): Statement[] => {
  const context: Context = { ...readHead(statement), statement, cluster, database };
  const { verb, kind } = context;
  if (verb === 'CREATE' && kind === 'TABLE') return createTable(context);
  if (kind === 'VIEW' && (verb === 'CREATE' || verb === 'DROP')) return [everywhere(context)];
  if (verb === 'CREATE' && kind === 'MATERIALIZED') return [everywhere(context)];
  if ((verb === 'CREATE' || verb === 'DROP') && kind === 'DATABASE') return bothDatabases(context);
  if (verb === 'DELETE' || verb === 'TRUNCATE' || modifies(context, 'SETTING'))
    return [everywhere(context, localName(context))];
  if (modifies(context, 'COLUMN')) return modifyColumn(context);
  if (CHANGING.has(verb))
    throw new ClusterStatementError('this statement is not supported on a cluster', statement.query);
  return [statement];
};

const CHANGING = new Set(['CREATE', 'DROP', 'ALTER', 'RENAME', 'EXCHANGE', 'OPTIMIZE', 'ATTACH', 'DETACH']);

type Context = {
  readonly statement: Statement;
  readonly cluster: Cluster;
  readonly database: string;
  readonly tokens: readonly Token[];
  readonly verb: string;
  /** TABLE, VIEW, … */
  readonly kind: string;
};

const SKIPPED = ['OR', 'REPLACE', 'IF', 'NOT', 'EXISTS', 'TABLE', 'VIEW', 'MATERIALIZED', 'DATABASE', 'FROM'];

const readHead = ({ query }: Statement) => {
  const tokens = [...tokenize(query)];
  const [verb, kind] = tokens
    .filter((token) => !isWord(token, 'OR', 'REPLACE'))
    .map(({ text }) => text.toUpperCase());
  return { tokens, verb: verb ?? '', kind: kind ?? '' };
};

type Target = { readonly path: readonly string[]; readonly start: number; readonly end: number };

/** The name after the head, with parameters inserted. */
const targetOf = ({ tokens, statement }: Context): Target => {
  let at = 1;
  while (isWord(tokens[at], ...SKIPPED)) at++;
  const start = tokens[at]?.start ?? 0;
  const path: string[] = [];
  for (;;) {
    if (isSymbol(tokens[at], '{')) {
      path.push(String(statement.query_params?.[tokens[at + 1]?.text ?? '']));
      at += 5;
    } else path.push(tokens[at++]?.text ?? '');
    if (!isSymbol(tokens[at], '.')) return { path, start, end: tokens[at - 1]?.end ?? start };
    at++;
  }
};

const placeOf = (context: Context) => {
  const { path } = targetOf(context);
  const [database = context.database, table = ''] =
    path.length > 1 ? path : [context.database, path[0] ?? ''];
  return { database, table };
};

const nameOf = (...path: readonly string[]): string => path.map(quoteIdentifier).join('.');
const localName = (context: Context): string => {
  const { database, table } = placeOf(context);
  return nameOf(localDatabaseOf(database), table);
};

/** Engine clauses apply to the tables that hold the rows. */
const modifies = (context: Context, what: 'SETTING' | 'COLUMN'): boolean => {
  const { tokens, verb } = context;
  const behind = tokens.filter(({ start }) => start >= targetOf(context).end);
  return verb === 'ALTER' && isWord(behind[0], 'MODIFY') && isWord(behind[1], what);
};

/** Of the tables that hold the rows, then of the one that spreads over them. A table without rows is only one. */
const modifyColumn = (context: Context): Statement[] =>
  context.cluster.shardingKeyOf(placeOf(context).table) === undefined
    ? [everywhere(context)]
    : [everywhere(context, localName(context)), everywhere(context)];

/** The statement on all servers, for the same name or another. */
const everywhere = (context: Context, name?: string): Statement => {
  const { query } = context.statement;
  const { path, start, end } = targetOf(context);
  const on = `ON CLUSTER ${quoteString(context.cluster.name)}`;
  return {
    ...context.statement,
    query: `${query.slice(0, start)}${name ?? nameOf(...path)} ${on}${query.slice(end)}`,
  };
};

const bothDatabases = (context: Context): Statement[] => {
  const [database = ''] = targetOf(context).path;
  return [database, localDatabaseOf(database)].map((name) => everywhere(context, nameOf(name)));
};

const createTable = (context: Context): Statement[] => {
  const { query } = context.statement;
  const clauses = clausesOf(context);
  if (clauses.engine === 'Null') return [everywhere(context)];
  const { database, table } = placeOf(context);
  const key = context.cluster.shardingKeyOf(table);
  if (key === undefined) throw new ClusterStatementError(`table ${table} has no sharding key`, query);
  if (!clauses.engine.endsWith('MergeTree'))
    throw new ClusterStatementError(`engine ${clauses.engine} is not supported on a cluster`, query);
  const replicated = { ...context, statement: { ...context.statement, query: replicate(query, clauses) } };
  const [cluster, local] = [context.cluster.name, localDatabaseOf(database)].map(quoteString);
  return [
    everywhere({ ...replicated, ...readHead(replicated.statement) }, localName(context)),
    {
      query: `CREATE TABLE IF NOT EXISTS ${nameOf(database, table)} ON CLUSTER ${cluster} AS ${localName(context)}
ENGINE = Distributed(${cluster}, ${local}, ${quoteString(table)}, ${key}) ${clauses.comment}`,
    },
  ];
};

/** The positions of a CREATE TABLE's clauses after its columns. Offsets count characters. */
const clausesOf = ({ tokens, statement: { query } }: Context) => {
  let depth = 0;
  const outer = tokens.filter((token) => {
    if (isSymbol(token, ')')) depth--;
    const isOuter = depth === 0;
    if (isSymbol(token, '(')) depth++;
    return isOuter;
  });
  const engineAt = outer.findIndex((token) => isWord(token, 'ENGINE'));
  const behind = outer.slice(engineAt);
  const engine = behind[2];
  const find = (word: string) => behind.find((token) => isWord(token, word));
  const comment = find('COMMENT');
  return {
    engine: engine?.text ?? '',
    engineEnd: engine?.end ?? 0,
    hasArguments: isSymbol(behind[3], '('),
    settingsEnd: find('SETTINGS')?.end,
    commentStart: comment?.start ?? query.length,
    comment: comment ? query.slice(comment.start) : '',
  };
};

// Shards name their tables alike, so that a new replica finds those of its shard. Both names are macros of
// the server.
const REPLICA = `'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'`;
/** As long as a sink may be away before it repeats its last batch. */
const WINDOW_SECONDS = 7 * 86_400;
const WINDOW = /\bnon_replicated_deduplication_window\b/;

const replicate = (query: string, clauses: ReturnType<typeof clausesOf>): string => {
  const { engine, engineEnd, hasArguments, settingsEnd, commentStart } = clauses;
  const tail = query.slice(engineEnd, commentStart);
  // Replicated tables drop an insert that equals an earlier one. That is right for batches, but wrong for a
  // fact that becomes true again.
  const off = 'replicated_deduplication_window = 0';
  const withWindow = WINDOW.test(tail)
    ? tail.replace(
        WINDOW,
        `replicated_deduplication_window_seconds = ${WINDOW_SECONDS}, replicated_deduplication_window`,
      )
    : settingsEnd === undefined
      ? `${tail.trimEnd()} SETTINGS ${off} `
      : `${query.slice(engineEnd, settingsEnd)} ${off},${query.slice(settingsEnd, commentStart)}`;
  const withReplica = hasArguments ? withWindow.replace('(', `(${REPLICA}, `) : `(${REPLICA})${withWindow}`;
  const head = query.slice(0, engineEnd - engine.length);
  return `${head}Replicated${engine}${withReplica}${query.slice(commentStart)}`;
};
