import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../testing/any-text.ts';
import { splitStatements } from './split-statements.ts';
import { quoteIdentifier, quoteString, tokenize, UnfinishedTokenError, unquote } from './sql-tokens.ts';

const texts = (sql: string) => [...tokenize(sql)].map(({ text }) => text);

test('comments and spaces of every kind are no tokens', () => {
  expect(texts('SELECT/* a; */1 -- b;\n, # c;\n 2\u00a0\u3000;')).toEqual(['SELECT', '1', ',', '2', ';']);
});

test('a quotation is one token, whatever is in it', () => {
  expect(texts("'a''b' 'c\\'d' 'e;--f' \"g\"\"h\" `i\\`j`")).toEqual([
    "'a''b'",
    "'c\\'d'",
    "'e;--f'",
    'g"h',
    'i`j',
  ]);
  expect(texts('$$a;b$$ $tag$;$tag$ $x')).toEqual(['$$a;b$$', '$tag$;$tag$', '$x']);
});

test('a quotation or comment without an end is an error', () => {
  for (const sql of ["SELECT 'a", 'SELECT "a', 'SELECT `a', "SELECT 'a\\'", 'SELECT /* a']) {
    expect(() => [...tokenize(sql)], sql).toThrow(UnfinishedTokenError);
  }
});

test('any value survives being quoted, and ends where it was meant to end', () => {
  fc.assert(
    fc.property(anyText(), (value) => {
      const [string, ...rest] = [...tokenize(`${quoteString(value)};x`)];
      expect(rest.map(({ text }) => text)).toEqual([';', 'x']);
      expect(unquote(string?.text ?? '')).toBe(value);
      if (value !== '') expect(texts(quoteIdentifier(value))).toEqual([value]);
    }),
  );
});

test('a semicolon in a string, a name or a comment ends no statement', () => {
  const sql = "-- first;\nSELECT ';' AS `a;b` /* ; */;\n\n;SELECT 2;\n-- end;";
  expect(splitStatements(sql)).toEqual(["SELECT ';' AS `a;b`", 'SELECT 2']);
});
