import { expect, test } from 'vitest';
import { writeCsv } from './write-csv.ts';

test('cells are quoted, and none is a formula for a spreadsheet', () => {
  expect(
    writeCsv(
      ['a', 'b'],
      [
        ['x,"y"', '=1+1'],
        ['-5.25', '@SUM(A1)'],
        ['two\nlines', '-x'],
      ],
    ),
  ).toBe('a,b\r\n"x,""y""",\'=1+1\r\n-5.25,\'@SUM(A1)\r\n"two\nlines",\'-x\r\n');
});
