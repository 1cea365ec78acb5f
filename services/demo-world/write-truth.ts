import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TruthLine } from './truth.ts';

export type TruthFile = {
  readonly path: string;
  readonly write: (line: TruthLine) => void;
  readonly close: () => void;
};

/**
 * Writes `truth.jsonl` in that folder line by line as the world is generated. A world served again is generated
 * only on demand, so an earlier run's file stays until this one has more.
 */
export const createTruthFile = (folder: string): TruthFile => {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'truth.jsonl');
  const draft = `${path}.new`;
  const knownBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const file = openSync(draft, 'w');
  let bytes = 0;
  let isDraft = true;
  return {
    path,
    write: (line) => {
      const text = Buffer.from(`${JSON.stringify(line)}\n`);
      writeFileSync(file, text);
      bytes += text.length;
      if (!isDraft || bytes <= knownBytes) return;
      renameSync(draft, path);
      isDraft = false;
    },
    close: () => {
      closeSync(file);
      if (isDraft) rmSync(draft);
    },
  };
};
