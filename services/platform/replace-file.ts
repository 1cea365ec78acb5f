import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A draft that is written beside the file it will replace. Readers and crashes see the old or the new file.
 * After a file system error, which both methods throw, the old file remains and the draft is deleted.
 */
export type FileDraft = {
  write(bytes: Uint8Array): void;
  /** Makes the draft the file, durably. */
  keep(): void;
  discard(): void;
};

type Options = {
  /** Permissions of the file. Default: the process' usual ones. */
  readonly mode?: number;
};

export const openDraft = (path: string, { mode }: Options = {}): FileDraft => {
  // Processes on several machines may share the folder and have equal process ids.
  const draft = `${path}.${randomUUID()}`;
  const file = openSync(draft, 'wx', mode);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  const discard = (): void => {
    close();
    rmSync(draft, { force: true });
  };
  const orDiscard = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      discard();
      throw error;
    }
  };
  return {
    write: (bytes) => orDiscard(() => writeAll(file, bytes)),
    keep: () =>
      orDiscard(() => {
        fsyncSync(file);
        close();
        renameSync(draft, path);
        syncFolder(dirname(path));
      }),
    discard,
  };
};

/** Replaces the whole content, or throws the file system's error and leaves the old content. */
export const replaceFile = (path: string, text: string, options?: Options): void => {
  const draft = openDraft(path, options);
  draft.write(Buffer.from(text));
  draft.keep();
};

/** A nearly full disk may accept only a part, and reports it only by the number of written bytes. */
const writeAll = (file: number, bytes: Uint8Array): void => {
  for (let index = 0; index < bytes.length; ) index += writeSync(file, bytes, index);
};

/** A new name is durable only after its folder is synced. */
const syncFolder = (folder: string): void => {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};
