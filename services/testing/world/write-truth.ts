import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TruthLine } from './truth.ts';

export type TruthFile = {
  readonly path: string;
  readonly write: (line: TruthLine) => void;
  readonly close: () => void;
};

/** `truth.jsonl` in that folder, written line by line as the world finds out what is true. */
export const createTruthFile = (folder: string): TruthFile => {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'truth.jsonl');
  const file = openSync(path, 'w');
  return {
    path,
    write: (line) => {
      writeSync(file, `${JSON.stringify(line)}\n`);
    },
    close: () => closeSync(file),
  };
};
