import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { LABEL_FORMATS } from '../../labels/formats/formats.ts';
import type { FormatOptions } from '../../labels/formats/label-format.ts';
import { openLabelFile } from '../../labels/formats/open-label-file.ts';
import { importLabels, type Outcome } from '../../labels/import-labels.ts';
import { KnownLabels } from '../../labels/known-labels.ts';
import type { Refusal } from '../../labels/rules/check-row.ts';
import { PATIENCE } from '../patience.ts';
import { sharedData } from '../shared-data.ts';

type Import = { readonly format: string; readonly options?: FormatOptions };

/** How each folder of lists is read in; of a file that needs more, its name. */
const FOLDERS: Readonly<Record<string, Import>> = {
  'defillama-cex': { format: 'defillama-cex' },
  'etherscan-brianleect': { format: 'etherscan' },
  forta: { format: 'forta' },
  'goalb-solana': { format: 'csv' },
  graphsense: { format: 'graphsense' },
  'jup-tokens': { format: 'csv' },
  'known-entities.csv.gz': { format: 'csv' },
  ofac: { format: 'ofac-list' },
  'solana-explorer': { format: 'csv', options: { kind: 'contract' } },
  'banned-tokens.csv': { format: 'csv', options: { columns: { name: 'Reasons' }, kind: 'hack' } },
  'wormhole.csv.gz': { format: 'csv', options: { columns: { chain: 'dest' } } },
};

const textOf = (path: string): string => {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
};

/** Files and their rows, as whoever gathered them counted: of JSON files by the addresses in their text. */
const filesAndRows = (): { path: string; rows: number }[] =>
  gunzipSync(readFileSync(sharedData('MANIFEST.csv.gz')))
    .toString()
    .split('\n')
    .map((line) => line.split(','))
    .flatMap(([path = '', , , records]) => {
      if (!path.startsWith('labels/')) return [];
      const isDump = path.includes('/etherscan/');
      const rows = isDump ? textOf(sharedData(path)).match(/"0x\w*":/g)?.length : records;
      return [{ path, rows: Number(rows) }];
    });

type Counts = { taken: number; further: number; outcomes: Partial<Record<Outcome, number>> };

/** What becomes of its rows. */
export const readPublicList = async (path: string, known: KnownLabels) => {
  const { format, options } = FOLDERS[basename(path)] ?? FOLDERS[path.split('/')[1] ?? ''] ?? { format: '' };
  const reader = LABEL_FORMATS.find(({ name }) => name === format);
  if (!reader) throw new Error(`no format is named for ${path}`);
  const counts: Counts = { taken: 0, further: 0, outcomes: {} };
  const refusals: Refusal[] = [];
  const events = {
    taken: (_: object, outcome: Outcome, isFurther: boolean) => {
      counts[isFurther ? 'further' : 'taken'] += 1;
      counts.outcomes[outcome] = (counts.outcomes[outcome] ?? 0) + 1;
    },
    refused: (refusal: Refusal) => refusals.push(refusal),
  };
  const request = { format: reader, file: openLabelFile(sharedData(path), options), known, events };
  await importLabels(
    { ...request, nowUnixSeconds: 1_763_000_000, target: null },
    new AbortController().signal,
  );
  return { ...counts, refusals };
};

/** Of the lists with so many rows. */
export const testEveryRow = (isMeant: (rows: number) => boolean): void => {
  test.for(filesAndRows().filter(({ rows }) => isMeant(rows)))(
    'every row of $path is taken, or refused with its reason',
    // The machine may be busy.
    PATIENCE,
    async ({ path, rows }) => {
      const { taken, refusals } = await readPublicList(path, new KnownLabels());
      expect(taken + refusals.length).toBe(rows);
      for (const { where, code, reason } of refusals) expect([where, code, reason]).not.toContain('');
    },
  );
};
