import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cacheFolder = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'spoor', 'engines');

/**
 * The folder `name` (which holds a version) with what `fill` puts there; filled once and kept outside the source tree. Two may do it at
 * once: the first that is done is kept.
 */
export const fetchOnce = async (name: string, fill: (draft: string) => Promise<unknown>): Promise<string> => {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  const draft = mkdtempSync(`${folder}-draft-`);
  try {
    await fill(draft);
    if (!existsSync(folder)) renameSync(draft, folder);
    return folder;
  } catch (error) {
    if (existsSync(folder)) return folder;
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};
