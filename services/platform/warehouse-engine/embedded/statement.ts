import { isSymbol, isWord, type Token, tokenize, UnfinishedTokenError } from '../sql-tokens.ts';
import { EngineException } from './engine-exception.ts';

/** An `INSERT` whose rows come with the request. */
export type DataInsert = {
  /** Table as the engine's formatter wrote it: one or two quoted or plain names. */
  readonly table: string;
  /** Named columns, all but some, or null for every one the table has. */
  readonly columns: { readonly names: readonly string[]; readonly except: boolean } | null;
  /** The statement's own `SETTINGS`, as written. */
  readonly settings: string | null;
  readonly format: string;
};

/** One statement as the engine's own parser understood it. */
export type Statement = {
  /** From the engine's formatter: no comments, every literal and name in one spelling. */
  readonly canonical: string;
  readonly tokens: readonly Token[];
  /** First word, upper case: SELECT, WITH, INSERT, … */
  readonly verb: string;
  /** From the statement's own FORMAT clause. */
  readonly format: string | null;
  /** Where that clause begins in `canonical`. */
  readonly formatStart: number | null;
  readonly insert: DataInsert | null;
};

/**
 * Where the data of an `INSERT … VALUES …` or `INSERT … FORMAT X …` begins in a text, or null for other statements.
 * Only says where to cut: what remains is parsed by the engine, and the data is never given to it as SQL.
 */
export function findInsertData(text: string): number | null {
  let depth = 0;
  let first = true;
  let previous: Token | undefined;
  try {
    for (const token of tokenize(text)) {
      if (first && !isWord(token, 'INSERT')) return null;
      first = false;
      if (isSymbol(token, '(')) depth += 1;
      if (isSymbol(token, ')')) depth -= 1;
      if (depth === 0 && isWord(token, 'SELECT', 'WITH', 'EXPLAIN', 'INFILE')) return null;
      if (depth === 0 && isWord(previous, 'FORMAT') && token.kind === 'word') return token.end;
      if (depth === 0 && isWord(token, 'VALUES')) return token.end;
      previous = token;
    }
  } catch (error) {
    if (error instanceof UnfinishedTokenError) return null;
    throw error;
  }
  return null;
}

/** Reads what the formatter wrote. Throws where it is something that no request may do. */
export function readStatement(canonical: string): Statement {
  const tokens = [...tokenize(canonical)];
  for (const [place, token] of tokens.entries()) {
    if (isWord(token, 'INTO') && isWord(tokens[place + 1], 'OUTFILE')) {
      throw new EngineException(48, 'NOT_IMPLEMENTED', 'INTO OUTFILE is not allowed');
    }
    if (isWord(token, 'FROM') && isWord(tokens[place + 1], 'INFILE')) {
      throw new EngineException(48, 'NOT_IMPLEMENTED', 'FROM INFILE is not allowed');
    }
  }
  const verb = tokens.find((token) => token.kind === 'word')?.text.toUpperCase() ?? '';
  return {
    canonical,
    tokens,
    verb,
    ...formatOf(tokens),
    insert: verb === 'INSERT' ? readDataInsert(canonical, tokens) : null,
  };
}

function formatOf(tokens: readonly Token[]): Pick<Statement, 'format' | 'formatStart'> {
  let depth = 0;
  let found: Pick<Statement, 'format' | 'formatStart'> = { format: null, formatStart: null };
  for (const [place, token] of tokens.entries()) {
    if (isSymbol(token, '(')) depth += 1;
    if (isSymbol(token, ')')) depth -= 1;
    const name = tokens[place + 1];
    const after = tokens[place + 2];
    const ends = after === undefined || isWord(after, 'SETTINGS');
    if (depth === 0 && isWord(token, 'FORMAT') && name?.kind === 'word' && ends) {
      found = { format: name.text, formatStart: token.start };
    }
  }
  return found;
}

function readDataInsert(canonical: string, tokens: readonly Token[]): DataInsert | null {
  let at = isWord(tokens[1], 'INTO') ? 2 : 1;
  if (isWord(tokens[at], 'TABLE')) at += 1;
  if (isWord(tokens[at], 'FUNCTION')) return null;
  const tableStart = tokens[at]?.start ?? 0;
  while (isSymbol(tokens[at + 1], '.')) at += 2;
  const table = canonical.slice(tableStart, tokens[at]?.end);
  at += 1;
  let columns: DataInsert['columns'] = null;
  if (isSymbol(tokens[at], '(')) {
    const close = closing(tokens, at);
    columns = readColumns(tokens.slice(at + 1, close));
    at = close + 1;
  }
  let settings: string | null = null;
  if (isWord(tokens[at], 'SETTINGS')) {
    const start = tokens[at + 1]?.start ?? 0;
    while (at < tokens.length && !isWord(tokens[at], 'FORMAT', 'SELECT', 'WITH')) at += 1;
    settings = canonical.slice(start, tokens[at - 1]?.end);
  }
  const format = tokens[at + 1];
  if (!isWord(tokens[at], 'FORMAT') || format?.kind !== 'word' || tokens.length !== at + 2) return null;
  return { table, columns, settings, format: format.text };
}

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (isSymbol(tokens[at], '(')) depth += 1;
    if (isSymbol(tokens[at], ')')) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** `a, b, n.c` or `* EXCEPT a` or `* EXCEPT (a, b)`. */
function readColumns(tokens: readonly Token[]): NonNullable<DataInsert['columns']> {
  const except = isSymbol(tokens[0], '*');
  const rest = except ? tokens.slice(2).filter((token) => !/^[()]$/.test(token.text)) : tokens;
  if (except && !isWord(tokens[1], 'EXCEPT')) {
    throw new EngineException(48, 'NOT_IMPLEMENTED', 'This list of columns is not supported in an INSERT');
  }
  const names: string[] = [];
  let name = '';
  for (const token of rest) {
    if (isSymbol(token, ',')) {
      names.push(name);
      name = '';
    } else name += token.text;
  }
  names.push(name);
  return { names, except };
}
