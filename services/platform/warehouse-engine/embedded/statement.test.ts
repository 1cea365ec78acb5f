import { expect, test } from 'vitest';
import { findInsertData, readStatement } from './statement.ts';

const dataOf = (text: string) => {
  const cut = findInsertData(text);
  return cut === null ? null : text.slice(cut);
};

test('the data of an insert begins behind its format or VALUES, not at words that only look like it', () => {
  expect(dataOf('INSERT INTO t FORMAT JSONEachRow\n{"a":1}')).toBe('\n{"a":1}');
  expect(dataOf("INSERT INTO t VALUES ('FORMAT CSV')")).toBe(" ('FORMAT CSV')");
  expect(dataOf('insert /* values */ into `format` (`values`, b) -- FORMAT x\n values (1)')).toBe(' (1)');
  expect(dataOf('INSERT INTO t (a) SETTINGS x = 1 FORMAT TSV')).toBe('');
});

test('statements without data of their own have none', () => {
  for (const text of [
    'SELECT 1 FORMAT CSV',
    'INSERT INTO t SELECT 1 FORMAT CSV',
    'INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x',
    "INSERT INTO t FROM INFILE '/etc/passwd' FORMAT CSV",
    'WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x',
  ]) {
    expect(dataOf(text), text).toBeNull();
  }
});

test('what follows an unfinished quotation before the data is never taken for data', () => {
  expect(dataOf('INSERT INTO `t FORMAT CSV\n1')).toBeNull();
});

test('an insert of data is read to its table, columns, settings and format', () => {
  expect(
    readStatement('INSERT INTO db.`t t` (a, `b c`, n.x)\nSETTINGS s = 1, u = 2\nFORMAT Values').insert,
  ).toEqual({
    table: 'db.`t t`',
    columns: { names: ['a', 'b c', 'n.x'], except: false },
    settings: 's = 1, u = 2',
    format: 'Values',
  });
  expect(readStatement('INSERT INTO t (* EXCEPT (a, b)) FORMAT Native').insert?.columns).toEqual({
    names: ['a', 'b'],
    except: true,
  });
  expect(readStatement('INSERT INTO t FORMAT Avro').insert).toMatchObject({ columns: null, settings: null });
});

test('an insert from a query or into a function takes no data', () => {
  expect(readStatement('INSERT INTO t (a) SELECT 1 FORMAT CSV').insert).toBeNull();
  expect(readStatement("INSERT INTO FUNCTION file('x') FORMAT CSV").insert).toBeNull();
});

test('the answer’s format is the statement’s own, not one of a string or a subquery', () => {
  expect(readStatement("SELECT ' FORMAT CSV'").format).toBeNull();
  expect(readStatement('SELECT 1\nFORMAT JSON').format).toBe('JSON');
  expect(readStatement('SELECT 1\nFORMAT JSON\nSETTINGS a = 1').format).toBe('JSON');
  expect(readStatement('SELECT format AS x FROM t').format).toBeNull();
});

test('no statement may read or write a file through its clauses', () => {
  expect(() => readStatement("SELECT 1\nINTO OUTFILE 'x'")).toThrow('OUTFILE');
  expect(() => readStatement("INSERT INTO t FROM INFILE 'x' FORMAT CSV")).toThrow('INFILE');
});
