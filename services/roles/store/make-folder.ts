import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../platform/config/config.ts';
import { messageOf } from '../../platform/message-of.ts';

/** Creates a store's folder and its parents. Throws `ConfigError`. */
export const makeStoreFolder = (folder: string): void => {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new ConfigError([{ variable: 'SPOOR_DATA', problem: messageOf(error) }]);
  }
};

/** Node's `recursive` never ends below /proc, and reports a missing folder for a read-only disk. */
const makeFolder = (folder: string): void => {
  try {
    makeOne(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    makeOne(folder);
  }
};

/** Another process may have created it a moment ago. */
const makeOne = (folder: string): void => {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};
