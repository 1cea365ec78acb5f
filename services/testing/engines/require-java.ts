import { EngineMissingError } from './engine-missing-error.ts';
import { runToEnd } from './run-to-end.ts';

const JAVA_MAJOR = 17;

/** Throws `EngineMissingError` where there is no Java that the engines can run on. */
export const requireJava = async (): Promise<void> => {
  let said: string;
  try {
    said = await runToEnd('java', ['-version']);
  } catch (cause) {
    throw new EngineMissingError(`Java ${JAVA_MAJOR} or newer is not installed (no java in PATH)`, { cause });
  }
  const major = Number(/version "(\d+)/.exec(said)?.[1] ?? 0);
  if (major < JAVA_MAJOR)
    throw new EngineMissingError(`the Java installed here is ${major}; ${JAVA_MAJOR} or newer is needed`);
};
