import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { csv } from './formats/csv.ts';
import { importLabels } from './import-labels.ts';
import { KnownLabels } from './known-labels.ts';

test('no list takes a name of ours as its own, whatever blanks stand around it', async () => {
  const text = 'address,chain,name\n0xd8da6bf26964af9d7eed9e03e53415d37aa96045,ethereum,Alder\n';
  const refused: string[] = [];
  for (const source of ['curated', ' curated', 'curated\t']) {
    const file = {
      path: 'list.csv',
      options: { source },
      open: () => Readable.from([text]),
      text: async () => text,
    };
    const events = { taken: () => {}, refused: ({ code }: { code: string }) => void refused.push(code) };
    const request = { format: csv, file, known: new KnownLabels(), nowUnixSeconds: 1, events, target: null };
    await importLabels({ ...request, reserved: new Set(['curated']) }, new AbortController().signal);
  }
  expect(refused).toEqual(['reserved_source', 'reserved_source', 'reserved_source']);
});
