import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TruthLine } from './truth.ts';

export type KnownLabels = {
  /** Collects the public labels from lines of the truth. */
  readonly note: (line: TruthLine) => void;
  /** Writes `labels.csv` into that folder and returns its path: a public list for `spoor labels import csv`. */
  readonly write: (folder: string) => string;
};

/** A known party is known from the world's beginning. */
export const createKnownLabels = (): KnownLabels => {
  const rows = ['address,chain,name,kind,source'];
  return {
    note: (line) => {
      if (line.type !== 'label' || !line.known) return;
      rows.push([line.address, line.chain, line.name, line.kind, 'generated world'].join(','));
    },
    write: (folder) => {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, 'labels.csv');
      writeFileSync(path, `${rows.join('\n')}\n`);
      return path;
    },
  };
};
