import { findBlockFiles } from '../../ingest/files/block-files.ts';

export type FilesToRead = { readonly files: number };

/** How many block files there are, so that progress has an end to show; nothing of them is kept. */
export const countFiles = async (paths: readonly string[], chain: string | null): Promise<FilesToRead> => {
  let files = 0;
  // What cannot be walked is named when it is read.
  const options = { chain, votes: 'sum', unreadable: () => {} } as const;
  for await (const _ of findBlockFiles(paths, options)) files += 1;
  return { files };
};
