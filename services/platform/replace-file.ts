import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A file that is written beside the one it is to replace, whose readers and whose crashes see the old or the new one. After
 * an error of the file system, which both throw, the old one stays and the draft is gone.
 */
export type FileDraft = {
  write(bytes: Uint8Array): void;
  /** It is the file from now on, durably. */
  keep(): void;
  discard(): void;
};

type Options = {
  /** Permissions of the file; the usual ones of the process unless given. */
  readonly mode?: number;
};

export const openDraft = (path: string, { mode }: Options = {}): FileDraft => {
  // Processes of several machines may share the folder, and with it their process ids.
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

/** Writes all of it in the place of what was there, or throws the file system's error and leaves that as it was. */
export const replaceFile = (path: string, text: string, options?: Options): void => {
  const draft = openDraft(path, options);
  draft.write(Buffer.from(text));
  draft.keep();
};

/** A disk that is nearly full takes a part of what it is given, and says so by a number only. */
const writeAll = (file: number, bytes: Uint8Array): void => {
  for (let index = 0; index < bytes.length; ) index += writeSync(file, bytes, index);
};

/** A name is durable only with the folder that it stands in. */
const syncFolder = (folder: string): void => {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};
