import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file to read, and nothing else that has a path: a pipe that nobody writes to would be waited for, a device never
 * ends. Throws the file system's error, and an error that says that it is none.
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
