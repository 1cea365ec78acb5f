import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { EngineMissingError } from './engine-missing-error.ts';
import { runToEnd } from './run-to-end.ts';

const INFRA = new URL('../../../infra/', import.meta.url);

const cacheFolder = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'spoor', 'engines');

/**
 * The folder that holds what `infra/<name>/pom.xml` depends on: its jars, or the unpacked archives. Fetched once and
 * kept outside the source tree, by the content of the file. Throws `EngineMissingError` where Maven is missing or fails.
 */
export const fetchWithMaven = async (name: string, mode: 'jars' | 'unpacked'): Promise<string> => {
  const pom = new URL(`${name}/pom.xml`, INFRA).pathname;
  const version = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  const folder = join(cacheFolder(), `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  const draft = mkdtempSync(`${folder}-draft-`);
  try {
    await runToEnd('mvn', [
      ...['--quiet', '--batch-mode', '--file', pom, `-DoutputDirectory=${draft}`],
      ...(mode === 'jars'
        ? ['dependency:copy-dependencies', '-DincludeScope=runtime']
        : ['dependency:unpack-dependencies', '-DexcludeTransitive=true']),
    ]);
    if (!existsSync(folder)) renameSync(draft, folder);
    return folder;
  } catch (cause) {
    // Two may fetch at once, and the second finds the place taken.
    if (existsSync(folder)) return folder;
    throw new EngineMissingError(
      `Maven (mvn) could not fetch ${name}: is it installed, and is a package registry in reach?`,
      { cause },
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};
