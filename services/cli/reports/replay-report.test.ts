import { expect, test } from 'vitest';
import type { BlockSummary } from '../../ingest/files/decode-file.ts';
import { createReplayReport } from './replay-report.ts';

const printed = (tell: (report: ReturnType<typeof createReplayReport>) => void): string[] => {
  const lines: string[] = [];
  const silent = { update: () => {}, end: () => {} };
  const report = createReplayReport({ ...silent, note: (line) => lines.push(line) }, { files: 100 });
  tell(report);
  lines.length = 0;
  report.print({ folder: 'data', json: false });
  return lines;
};

const block = (number: number, txIndex: number | null, problems: number): BlockSummary => ({
  ...{ chain: 'solana', number, hash: `hash ${number}`, movements: 1, exempt: {} },
  problems: problems > 0 ? { asset_unknown: problems } : {},
  firstProblems: problems > 0 ? [{ code: 'asset_unknown', txIndex, message: 'no mint is named' }] : [],
});

test('the end names what was not read, now and before, with its reason, and how much more there was', () => {
  const lines = printed(({ events }) => {
    events.skipped({ path: 'old.json', refused: 'not_gzip: it is no gzip' });
    events.unreadable({ path: 'gone.json', reason: 'ENOENT' });
    for (let i = 0; i < 40; i++) events.refused({ path: `${i}.json`, code: 'not_json', reason: 'cut off' });
  });
  expect(lines).toContain('not read: old.json: not_gzip: it is no gzip');
  expect(lines).toContain('not read: gone.json: unreadable: ENOENT');
  expect(lines).toContain('not read: 0.json: not_json: cut off');
  expect(lines.filter((line) => line.startsWith('not read: '))).toHaveLength(20);
  expect(lines).toContain('and 22 more, each named above');
});

test('the end says in which block and transaction the first problem of each kind was', () => {
  const lines = printed(({ events }) => {
    events.stored({ path: '7.json', bytes: 1, block: block(7, null, 0) });
    events.stored({ path: '8.json', bytes: 1, block: block(8, 3, 2) });
    events.stored({ path: '9.json', bytes: 1, block: block(9, 0, 1) });
  });
  expect(lines).toContain('not decoded: asset_unknown 3');
  expect(lines).toContain(
    '  asset_unknown, first in block 8 of solana, transaction 3 (8.json): no mint is named',
  );
});
