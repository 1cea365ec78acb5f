import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { EngineMissingError } from './engine-missing-error.ts';
import { requireJava } from './require-java.ts';
import { runToEnd } from './run-to-end.ts';

const cacheFolder = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'spoor', 'engines');

/**
 * The folder `name` (which holds a version) with what Maven puts there, told by `args`; fetched once and kept outside the
 * source tree. Throws `EngineMissingError` where Java, on which both Maven and what it fetches run, or Maven is missing or fails.
 */
export const fetchWithMaven = async (name: string, args: readonly string[]): Promise<string> => {
  await requireJava();
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  const draft = mkdtempSync(`${folder}-draft-`);
  try {
    // Where there is no project it leaves notes in the working directory.
    await runToEnd('mvn', ['--quiet', '--batch-mode', `-DoutputDirectory=${draft}`, ...args], draft);
    if (!existsSync(folder)) renameSync(draft, folder);
    return folder;
  } catch (cause) {
    // Two may fetch at once, and the second finds the place taken.
    if (existsSync(folder)) return folder;
    throw new EngineMissingError(
      `Maven (mvn) could not fetch ${name}: it must be installed, and a Maven repository in reach`,
      { cause },
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};
