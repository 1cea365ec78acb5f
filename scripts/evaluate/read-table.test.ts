import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findChain } from '../../services/investigate/model/chain.ts';
import { temporaryFolder } from '../../services/testing/temporary-folder.ts';
import { BadInputError, readTable, type TableRow, tableIn } from './read-table.ts';

const ethereum = findChain('ethereum');
if (ethereum === null) throw new Error('no ethereum');
const LOWER = '0x8b3cb6bf982798fba233bca56749e22eec42dcf3';

const tableOf = (text: string | Buffer): string => {
  const path = join(temporaryFolder(), 'rows.csv');
  writeFileSync(path, text);
  return path;
};
const rowOf = async (header: string, line: string): Promise<TableRow> => {
  const [row] = await readTable(tableOf(`${header}\n${line}\n`), []);
  if (row === undefined) throw new Error('no row');
  return row;
};

describe('a table', () => {
  test('is the same with a byte order mark, other line ends, other order of columns, and packed', async () => {
    const plain = 'a,b\n1,2\n';
    for (const text of [plain, `\uFEFF${plain}`, 'b,a\r\n2,1\r\n', ' a , b \n1,2\n', gzipSync(plain)]) {
      const rows = await readTable(tableOf(text), ['a', 'b']);
      expect(rows.map((row) => [row.whole('a'), row.whole('b')])).toEqual([[1, 2]]);
    }
  });

  test.each([
    ['lacks a column', 'a,c\n1,2\n', 'has no column b, d; it has a, c'],
    ['has a header only', 'a,b,d\n', 'has no rows'],
    ['is empty', '', 'is empty, where a header was expected'],
  ])('that %s is refused by the name of its file', async (_, text, problem) => {
    const path = tableOf(text);
    await expect(readTable(path, ['a', 'b', 'd'])).rejects.toThrow(new BadInputError(path, problem));
  });

  test('that is not there is refused by its name, packed or not', async () => {
    const path = tableIn(temporaryFolder(), 'rows');
    await expect(readTable(path, [])).rejects.toMatchObject({ code: 'file_unreadable' });
    await expect(readTable(path, [])).rejects.toThrow('rows.csv.gz cannot be read');
  });
});

describe('a cell', () => {
  test('is the same key and address in whatever case it was written', async () => {
    const mixed = '0x8B3Cb6Bf982798fba233Bca56749e22EEc42DcF3';
    for (const text of [LOWER, `0x${LOWER.slice(2).toUpperCase()}`, mixed]) {
      const row = await rowOf('x', text);
      expect([row.key('x'), row.address('x', ethereum)]).toEqual([LOWER, LOWER]);
    }
    expect((await rowOf('x', 'Base58Signature')).key('x')).toBe('Base58Signature');
  });

  test('is read as what it must be', async () => {
    const row = await rowOf('n,raw,usd,word,chain,nothing', '7,99999999999999999999,1.5e3,Deposit,base,');
    expect([row.whole('n'), row.raw('raw'), row.decimal('usd')]).toEqual([7, 99999999999999999999n, 1500]);
    expect(row.word('word', ['withdrawal', 'deposit'])).toBe('deposit');
    expect(row.chain('chain').name).toBe('base');
    expect([row.ifTold('nothing', row.raw), row.ifTold('no such column', row.raw)]).toEqual([null, null]);
  });

  test.each<[string, (row: TableRow) => unknown, string]>([
    ['', (row) => row.text('x'), 'is empty'],
    ['x', (row) => row.whole('x'), 'x is no whole number'],
    ['-1', (row) => row.whole('x'), '-1 is no whole number'],
    ['8', (row) => row.whole('x', 7), '8 is above 7'],
    ['9007199254740993', (row) => row.whole('x'), 'is above 9007199254740991'],
    ['1e17', (row) => row.raw('x'), '1e17 is no whole number'],
    ['-5', (row) => row.decimal('x'), '-5 is no number of 0 or more'],
    ['1e999', (row) => row.decimal('x'), '1e999 is above 1.79'],
    ['NaN', (row) => row.decimal('x'), 'NaN is no number of 0 or more'],
    ['in', (row) => row.word('x', ['deposit', 'withdrawal']), 'in is none of deposit, withdrawal'],
    ['nowhere', (row) => row.chain('x'), 'nowhere is no chain that is served'],
    ['0x12', (row) => row.address('x', ethereum), '0x12 is not an address on ethereum'],
  ])('%s that is not what it must be is refused by file, line and column', async (text, read, problem) => {
    const [, row] = await readTable(tableOf(`x,y\n1,1\n${text},2\n`), ['x']);
    if (row === undefined) throw new Error('no row');
    expect(() => read(row)).toThrow(BadInputError);
    expect(() => read(row)).toThrow(/rows\.csv, line 3, column x: /);
    expect(() => read(row)).toThrow(problem);
  });
});
