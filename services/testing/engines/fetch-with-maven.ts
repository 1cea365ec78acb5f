import { EngineMissingError } from './engine-missing-error.ts';
import { fetchOnce } from './fetch-once.ts';
import { requireJava } from './require-java.ts';
import { runToEnd } from './run-to-end.ts';

/**
 * The folder `name` (which holds a version) with what Maven puts there, told by `args`. Throws `EngineMissingError` where Java, on which
 * both Maven and what it fetches run, or Maven is missing or fails.
 */
export const fetchWithMaven = async (name: string, args: readonly string[]): Promise<string> => {
  await requireJava();
  return fetchOnce(name, async (draft) => {
    try {
      // Where there is no project it leaves notes in the working directory.
      await runToEnd('mvn', ['--quiet', '--batch-mode', `-DoutputDirectory=${draft}`, ...args], draft);
    } catch (cause) {
      throw new EngineMissingError(
        `Maven (mvn) could not fetch ${name}: it must be installed, and a Maven repository in reach`,
        { cause },
      );
    }
  });
};
