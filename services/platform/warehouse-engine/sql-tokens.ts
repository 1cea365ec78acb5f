/** Tokens of ClickHouse SQL, as far as the access checks around the engine need them. */
export type Token = {
  readonly kind: 'word' | 'identifier' | 'string' | 'number' | 'symbol';
  /** Unquoted for identifiers, as written otherwise. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

export class UnfinishedTokenError extends Error {
  constructor(what: string, position: number) {
    super(`${what} that begins at ${position} does not end`);
    this.name = 'UnfinishedTokenError';
  }
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:0[xXbB])?[0-9][0-9a-zA-Z_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[\s\u00a0\u2000-\u200b\ufeff]+/uy;
const LINE_COMMENT = /(?:--|#!|# )[^\n]*/y;
const HEREDOC = /\$[\p{L}\p{N}_]*\$/uy;

/** Yields token by token, so that the head of a statement can be read without its data. */
export function* tokenize(sql: string): Generator<Token> {
  let at = 0;
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0] ?? null;
  };
  while (at < sql.length) {
    const skipped = match(SPACE) ?? match(LINE_COMMENT) ?? blockComment(sql, at);
    if (skipped !== null) {
      at += skipped.length;
      continue;
    }
    const token =
      quoted(sql, at) ?? heredoc(sql, at, match(HEREDOC)) ?? plain(at, match(WORD), match(NUMBER));
    const found = token ?? symbolAt(sql, at);
    yield found;
    at = found.end;
  }
}

function blockComment(sql: string, at: number): string | null {
  if (!sql.startsWith('/*', at)) return null;
  const end = sql.indexOf('*/', at + 2);
  if (end < 0) throw new UnfinishedTokenError('a comment', at);
  return sql.slice(at, end + 2);
}

function quoted(sql: string, at: number): Token | null {
  const quote = sql[at];
  if (quote !== "'" && quote !== '"' && quote !== '`') return null;
  let end = at + 1;
  for (;;) {
    const char = sql[end];
    if (char === undefined) throw new UnfinishedTokenError('a quotation', at);
    if (char === '\\') end += 2;
    else if (char !== quote) end += 1;
    else if (sql[end + 1] === quote) end += 2;
    else break;
  }
  end += 1;
  const kind = quote === "'" ? 'string' : 'identifier';
  const text = kind === 'string' ? sql.slice(at, end) : unquote(sql.slice(at, end));
  return { kind, text, start: at, end };
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
};

/** The value of a quoted string or identifier. */
export function unquote(text: string): string {
  const quote = text[0] ?? '';
  const inner = text.slice(1, -1);
  return inner.replace(/\\x([0-9a-fA-F]{2})|\\([\s\S])|(['"`])\3/g, (all, hex, escaped, doubled) => {
    if (hex) return String.fromCharCode(Number.parseInt(hex, 16));
    if (escaped !== undefined) return ESCAPES[escaped] ?? escaped;
    return doubled === quote ? doubled : all;
  });
}

function heredoc(sql: string, at: number, opening: string | null): Token | null {
  if (opening === null) return null;
  const end = sql.indexOf(opening, at + opening.length);
  // Without its closing tag `$` is an ordinary part of a word.
  if (end < 0) return null;
  return { kind: 'string', text: sql.slice(at, end + opening.length), start: at, end: end + opening.length };
}

function plain(at: number, word: string | null, number: string | null): Token | null {
  if (word !== null) return { kind: 'word', text: word, start: at, end: at + word.length };
  if (number !== null) return { kind: 'number', text: number, start: at, end: at + number.length };
  return null;
}

function symbolAt(sql: string, at: number): Token {
  const text = String.fromCodePoint(sql.codePointAt(at) ?? 0);
  return { kind: 'symbol', text, start: at, end: at + text.length };
}

export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text.toUpperCase());
}

export function isSymbol(token: Token | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol;
}

/** A string literal that ClickHouse parses to exactly `value`. */
export function quoteString(value: string): string {
  return `'${value.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

export function quoteIdentifier(name: string): string {
  return `\`${name.replace(/\\/g, '\\\\').replace(/`/g, '\\`')}\``;
}
