import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { csv } from './formats/csv.ts';
import { importLabels } from './import-labels.ts';
import { KnownLabels } from './known-labels.ts';

const listOf = (text: string, source: string) => ({
  path: 'list.csv',
  options: { source },
  open: () => Readable.from([text]),
  text: async () => text,
});
const NEVER = new AbortController().signal;

test('no list takes a name of ours as its own, whatever blanks stand around it', async () => {
  const text = 'address,chain,name\n0xd8da6bf26964af9d7eed9e03e53415d37aa96045,ethereum,Alder\n';
  const refused: string[] = [];
  for (const source of ['curated', ' curated', 'curated\t']) {
    const file = listOf(text, source);
    const events = { taken: () => {}, refused: ({ code }: { code: string }) => void refused.push(code) };
    const request = { format: csv, file, known: new KnownLabels(), nowUnixSeconds: 1, events, target: null };
    await importLabels({ ...request, reserved: new Set(['curated']) }, NEVER);
  }
  expect(refused).toEqual(['reserved_source', 'reserved_source', 'reserved_source']);
});

test('a list that says more than is remembered of one is refused, and one that says the same again and again is not', async () => {
  const rows = ['Alder', 'Birch', 'Cedar'].map(
    (name) => `0xd8da6bf26964af9d7eed9e03e53415d37aa96045,ethereum,${name}`,
  );
  const importOf = (...lines: (string | undefined)[]) =>
    importLabels(
      {
        format: csv,
        file: listOf(['address,chain,name', ...lines].join('\n'), 'list'),
        known: new KnownLabels(),
        nowUnixSeconds: 1,
        events: { taken: () => {}, refused: () => {} },
        labelsMax: 2,
        target: null,
      },
      NEVER,
    );
  await expect(importOf(...rows)).rejects.toThrow('list.csv: says more than 2 labels: import it in parts');
  expect((await importOf(rows[0], rows[1], rows[0], rows[1])).identities.size).toBe(2);
});
