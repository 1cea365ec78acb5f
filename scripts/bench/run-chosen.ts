import { type Bench, printFigures } from './figure.ts';

/** The options are incomplete; the message says what is missing. */
export class UsageError extends Error {
  readonly code = 'usage';
}

/**
 * Runs the measurement named by the first argument and prints its figures. Exit 0 if it was measured, even if a
 * goal was missed; 2 for wrong usage; 1 if it could not be measured.
 */
export const runChosen = async (
  measurements: readonly Bench[],
  usage: string,
  [name, ...options]: readonly string[],
): Promise<void> => {
  const chosen = measurements.find((measurement) => measurement.name === name);
  if (!chosen) {
    const isAsked = name === '--help';
    (isAsked ? process.stdout : process.stderr).write(usage);
    process.exit(isAsked ? 0 : 2);
  }
  if (options.includes('--help')) {
    process.stdout.write(usage);
    process.exit(0);
  }
  try {
    printFigures(await chosen.run(options), process.stdout);
  } catch (error) {
    const { code, text } = failureOf(error, usage);
    process.stderr.write(`${text}\n`);
    process.exit(code);
  }
};

/** How a measurement ends that threw, and what is told. */
export const failureOf = (error: unknown, usage: string): { code: 1 | 2; text: string } => {
  const isUsage = codeOf(error)?.startsWith('ERR_PARSE_ARGS') || error instanceof UsageError;
  return isUsage
    ? { code: 2, text: `${(error as Error).message}\n\n${usage}` }
    : { code: 1, text: told(error) };
};

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error ? String(error.code) : null;

/** Errors with a code describe the input. Others, including Node's own, need their stack. */
const told = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const isOfInput = codeOf(error)?.startsWith('ERR_') === false;
  return isOfInput ? error.message : (error.stack ?? error.message);
};
