import { expect, test } from 'vitest';
import { insertFromFile } from './insert-from-file.ts';

const column = (name: string, type: string, default_type = '', default_expression = '') => ({
  name,
  type,
  default_type,
  default_expression,
});
const described = [
  column('a', 'UInt8'),
  column('b', 'UInt8', 'DEFAULT', 'a + 1'),
  column('c', "Enum8('x' = 1)", 'DEFAULT', "'x'"),
  column('m', 'UInt8', 'MATERIALIZED', '1'),
  column('l', 'UInt8', 'ALIAS', 'a'),
];
const insert = { table: 't', columns: null, settings: null, format: 'CSV' };

test('columns that a table computes by itself are not asked of the data', () => {
  expect(insertFromFile(insert, described, 'in/1.data')).toBe(
    "INSERT INTO t (`a`, `b`, `c`) SELECT `a`, `b`, `c` FROM file('in/1.data', 'CSV', " +
      "'`a` UInt8, `b` UInt8 DEFAULT a + 1, `c` Enum8(\\'x\\' = 1) DEFAULT \\'x\\'')",
  );
});

test('a default that needs a column the insert does not name is left to the table', () => {
  const columns = { names: ['b', 'c'], except: false };
  expect(insertFromFile({ ...insert, columns, settings: 's = 1' }, described, 'f')).toBe(
    "INSERT INTO t (`b`, `c`) SETTINGS s = 1 SELECT `b`, `c` FROM file('f', 'CSV', " +
      "'`b` UInt8, `c` Enum8(\\'x\\' = 1) DEFAULT \\'x\\'')",
  );
  expect(insertFromFile({ ...insert, columns: { names: ['b'], except: true } }, described, 'f')).toContain(
    '(`a`, `c`)',
  );
});

test('a column that the table does not have is refused by name', () => {
  const columns = { names: ['nope'], except: false };
  expect(() => insertFromFile({ ...insert, columns }, described, 'f')).toThrow('No such column nope');
});
