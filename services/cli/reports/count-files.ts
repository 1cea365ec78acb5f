import { findBlockFiles } from '../../ingest/files/block-files.ts';

export type FilesToRead = { readonly files: number };

/** Counts block files for the progress line; keeps nothing. */
export const countFiles = async (paths: readonly string[], chain: string | null): Promise<FilesToRead> => {
  let files = 0;
  // Unreadable folders are reported when they are read.
  const options = { chain, votes: 'sum', unreadable: () => {} } as const;
  for await (const _ of findBlockFiles(paths, options)) files += 1;
  return { files };
};
