import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TruthLine } from './truth.ts';

export type TruthFile = {
  readonly path: string;
  readonly write: (line: TruthLine) => void;
  readonly close: () => void;
};

/**
 * `truth.jsonl` in that folder, written line by line as the world finds out what is true. A world that is served again is
 * generated only as far as it is asked for, so what an earlier run wrote stays until this one knows more.
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
