import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a regular file for reading and refuses everything else: opening a pipe without a writer blocks, and a
 * device never ends. Throws the file system's error, or one for anything that is not a file.
 */
export const openRegularFile = async (path: string): Promise<FileHandle> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (stats.isFile()) return file;
    throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is a pipe or a device, not a file');
  } catch (error) {
    await file.close();
    throw error;
  }
};
