import { expect, test } from 'vitest';
import { checkRow } from '../../labels/rules/check-row.ts';
import { createImportReport } from './import-report.ts';

test('a refused row is named by no more of its words than a line has room for', () => {
  const notes: string[] = [];
  const progress = { update: () => {}, note: (line: string) => notes.push(line), end: () => {} };
  const report = createImportReport(progress, { format: 'csv', path: 'list.csv', dryRun: true });
  const words = { address: '\u001b[2J'.repeat(100_000), chain: '\u001b[1A'.repeat(100_000), name: 'Alder' };
  const { refusal } = checkRow(
    {
      ...{ ...words, where: 'line 2', categories: [], source: 'list', creator: '', confidence: 0.5 },
      ...{ evidence: '', assertedAt: null },
    },
    0,
  );
  if (!refusal) throw new Error('the row was taken');
  report.events.refused(refusal, false);
  expect(notes).toEqual([expect.stringMatching(/^refused: line 2: .+ \(chain_not_served\)$/)]);
  expect(notes[0]).not.toContain('\u001b');
  expect(notes[0]?.length).toBeLessThan(500);
});

test('what did not end for the sake of refused rows is said', () => {
  const notes: string[] = [];
  const progress = { update: () => {}, note: (line: string) => notes.push(line), end: () => {} };
  const report = createImportReport(progress, { format: 'csv', path: 'list.csv', dryRun: true });
  report.ended({ ended: 0, withheld: 7 });
  report.print({ store: null, json: false });
  expect(notes).toContainEqual(expect.stringMatching(/^7 labels .* have not ended, because refused rows/));
});
