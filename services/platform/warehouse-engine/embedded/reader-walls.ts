import { isSymbol, isWord, quoteString, type Token } from '../sql-tokens.ts';
import type { Engine } from './engine.ts';
import { EngineException } from './engine-exception.ts';
import type { Statement } from './statement.ts';

/**
 * What a reader's statement may consist of. The engine has no users and no rights, and its `readonly` lets through
 * functions that read files. So the engine's own parser says what a statement is made of, and everything that is not
 * listed here is refused, whatever a later version of the engine adds.
 */
const ROOTS =
  /^(SelectWithUnionQuery|Explain|ShowTables|ShowColumns|ShowFunctions|DescribeQuery|ExistsTableQuery|ShowCreateTableQuery)$/;
/** Not, for one, TABLE OVERRIDE, which asks another server. */
const EXPLAINED = /^EXPLAIN( (AST|SYNTAX|QUERY TREE|PIPELINE|ESTIMATE))?$/;
const NODES = new Set([
  'Asterisk',
  'ColumnsExceptTransformer',
  'ColumnsListMatcher',
  'ColumnsRegexpMatcher',
  'ColumnsReplaceTransformer',
  'ColumnsReplaceTransformer::Replacement',
  'ColumnsTransformerList',
  'ExpressionList',
  'Function',
  'Identifier',
  'InterpolateElement',
  'Literal',
  'OrderByElement',
  'QualifiedAsterisk',
  'QualifiedColumnsListMatcher',
  'QualifiedColumnsRegexpMatcher',
  'SampleRatio',
  'SelectIntersectExceptQuery',
  'SelectQuery',
  'SelectWithUnionQuery',
  'Subquery',
  'TableExpression',
  'TableIdentifier',
  'TableJoin',
  'TablesInSelectQuery',
  'TablesInSelectQueryElement',
  'ArrayJoin',
  'WindowDefinition',
  'WindowListElement',
  'WithElement',
]);

/**
 * They make rows of their arguments, which are numbers. Those that take a text are not here, however harmless they seem:
 * `values` takes columns as one, whose `ALIAS` is an expression that neither the tree nor the tokens show.
 */
const TABLE_FUNCTIONS = new Set(['numbers', 'zeros', 'generateseries', 'generate_series']);

/** Tables about the engine that name no path, no process and no text of other people's queries. */
const SYSTEM_TABLES = new Set(
  ['one', 'numbers', 'columns', 'functions', 'data_type_families', 'time_zones', 'keywords'].map(
    (name) => `system.${name}`,
  ),
);

/** Kinds of functions that reach outside a query: files, other tables by name, models, the network, the machine. */
const FORBIDDEN_CATEGORIES = [
  '',
  'AI',
  'Dictionary',
  'Embedded Dictionary',
  'Internal',
  'Introspection',
  'Machine Learning',
  'Other',
];

/** Harmless ones among them. */
const ALLOWED_FUNCTIONS =
  /^(bar|transform|identity|materialize|ignore|throwif|version|currentdatabase|totypename|tocolumntypename|bytesize|digits|countdigits|isconstant|visiblewidth|neighbor|runningdifference|runningaccumulate|rownumberinblock|rownumberinallblocks|blocknumber|blocksize|finalizeaggregation|initializeaggregation|getsubcolumn|variantelement|varianttype|indexhint|nested|casewithexpression|defaultvalueof[a-z]+|formatreadable[a-z]+|parsereadable[a-z]+|parsetimedelta|lowcardinality[a-z]+|minsamplesize[a-z]+|isdecimaloverflow|mac[a-z]+)$/;

type Node = { readonly depth: number; readonly kind: string; readonly name: string };

export class ReaderWalls {
  readonly #engine: Engine;
  readonly #database: string;
  #forbidden: Promise<ReadonlySet<string>> | null = null;
  readonly #passed = new WeakSet<Statement>();

  constructor(engine: Engine, database: string) {
    this.#engine = engine;
    this.#database = database;
  }

  /** Throws error 497 where the statement holds anything that a reader may not do. */
  async check(statement: Statement, database: string): Promise<void> {
    if (database !== this.#database) refuse(`database ${database}`);
    if (this.#passed.has(statement)) return;
    checkTokens(statement, await this.#forbiddenFunctions());
    const nodes = await this.#parse(statement);
    const root = nodes[0];
    if (root === undefined || !ROOTS.test(root.kind)) refuse(statement.verb);
    if (root.kind === 'Explain' && !EXPLAINED.test(root.name)) refuse(root.name);
    const databases = await this.#otherDatabases();
    for (const [place, node] of nodes.entries()) this.#checkNode(node, nodes[place - 1], databases);
    this.#passed.add(statement);
  }

  #checkNode(node: Node, before: Node | undefined, otherDatabases: ReadonlySet<string>): void {
    const explainOption = node.kind === 'Set' && before?.kind === 'Explain';
    if (node.depth > 0 && !NODES.has(node.kind) && !explainOption) refuse(node.kind);
    const firstChildOfTable = before?.kind === 'TableExpression' && node.depth === before.depth + 1;
    if (firstChildOfTable && node.kind === 'Function' && !TABLE_FUNCTIONS.has(node.name.toLowerCase())) {
      refuse(`table function ${node.name}`);
    }
    // `x IN db.table` names a table too, and the parser does not know it from a column.
    if (node.kind !== 'TableIdentifier' && node.kind !== 'Identifier') return;
    if (SYSTEM_TABLES.has(node.name)) return;
    const dot = node.name.indexOf('.');
    const qualifier = (dot < 0 ? node.name : node.name.slice(0, dot)).toLowerCase();
    if (qualifier === this.#database.toLowerCase()) return;
    if (node.kind === 'TableIdentifier' ? dot >= 0 : otherDatabases.has(qualifier)) refuse(node.name);
  }

  async #parse(statement: Statement): Promise<Node[]> {
    const answer = await this.#engine.run({
      prelude: 'SET max_query_size = 100000000, max_parser_depth = 1000; ',
      statement: `EXPLAIN AST ${withoutParameters(statement)}`,
      format: 'TSVRaw',
    });
    const lines = answer.bytes.toString('utf8').split('\n');
    return lines.filter((line) => line.trim() !== '').map(readNode);
  }

  async #forbiddenFunctions(): Promise<ReadonlySet<string>> {
    this.#forbidden ??= this.#names(`
      SELECT lower(name) FROM system.functions
      WHERE if(alias_to = '', categories, (SELECT groupArray((name, categories)) FROM system.functions)[
        indexOf((SELECT groupArray(name) FROM system.functions), alias_to)].2)
        IN (${FORBIDDEN_CATEGORIES.map(quoteString).join(', ')})`).then(
      (names) => new Set([...names].filter((name) => !ALLOWED_FUNCTIONS.test(name))),
    );
    // What failed once, for want of memory say, is not what the engine has to say.
    this.#forbidden.catch(() => {
      this.#forbidden = null;
    });
    return this.#forbidden;
  }

  async #otherDatabases(): Promise<ReadonlySet<string>> {
    const names = await this.#names('SELECT lower(name) FROM system.databases');
    return new Set([...names].filter((name) => name !== this.#database.toLowerCase()));
  }

  async #names(statement: string): Promise<Set<string>> {
    const answer = await this.#engine.run({ prelude: '', statement, format: 'JSONCompactEachRow' });
    const lines = answer.bytes.toString('utf8').split('\n');
    return new Set(
      lines.filter((line) => line !== '').map((line) => String((JSON.parse(line) as unknown[])[0])),
    );
  }
}

function refuse(what: string): never {
  throw new EngineException(497, 'ACCESS_DENIED', `reader: Not enough privileges: ${what} is not allowed`);
}

/**
 * Names of forbidden functions are refused wherever they stand: `arrayMap(file, …)` and `* APPLY(file)` call them
 * without a call, and the tree does not show the second at all.
 */
function checkTokens(statement: Statement, forbidden: ReadonlySet<string>): void {
  const { tokens, verb } = statement;
  for (const [place, token] of tokens.entries()) {
    if (token.kind !== 'word' && token.kind !== 'identifier') continue;
    if (forbidden.has(token.text.toLowerCase())) refuse(token.text);
    // The tree is read line by line.
    if (/[\p{Cc}\u2028\u2029]/u.test(token.text)) refuse('a name with control characters');
    if (isWord(token, 'APPLY') && isSymbol(tokens[place + 1], '(')) refuse('APPLY');
    // A subquery's settings are applied without asking `readonly`, and some hold expressions as text.
    if (isWord(token, 'SETTINGS') && namesSetting(tokens, place + 1)) refuse('SETTINGS');
    if (isWord(token, 'IDENTIFIER') && isSymbol(tokens[place - 1], ':')) refuse('a name as a parameter');
  }
  // The tree does not show what stands behind their WHERE.
  if (verb === 'SHOW' && tokens.some((token) => isSymbol(token, '('))) refuse('a condition on SHOW');
}

/** `a = `, and `a.b = ` where the name has parts; either may be quoted. */
function namesSetting(tokens: readonly Token[], place: number): boolean {
  const kind = tokens[place]?.kind;
  const after = tokens[place + 1];
  return (kind === 'word' || kind === 'identifier') && (isSymbol(after, '=') || isSymbol(after, '.'));
}

/** Parameters are values, so that any value stands for them here. The format is that of the answer, not of the tree. */
function withoutParameters(statement: Statement): string {
  const { canonical, tokens, formatStart } = statement;
  const end = formatStart ?? canonical.length;
  let text = '';
  let at = 0;
  for (let place = 0; place < tokens.length; place++) {
    if (!isParameter(tokens, place)) continue;
    const close = tokens.findIndex((token, index) => index > place && isSymbol(token, '}'));
    text += `${canonical.slice(at, tokens[place]?.start)} NULL `;
    at = tokens[close]?.end ?? end;
    place = close;
  }
  return text + canonical.slice(at, end);
}

function isParameter(tokens: readonly Token[], place: number): boolean {
  const name = tokens[place + 1];
  return isSymbol(tokens[place], '{') && name?.kind === 'word' && isSymbol(tokens[place + 2], ':');
}

const LINE = /^( *)(\S+)(?: (.*?))?(?: \(alias .*\))?(?: \(children \d+\))?$/;

function readNode(line: string): Node {
  const [, indent = '', kind = line, name = ''] = LINE.exec(line) ?? [];
  return { depth: indent.length, kind, name };
}
