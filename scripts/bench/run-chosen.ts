import { type Bench, printFigures } from './figure.ts';

/** The options do not say what is needed; the message does. */
export class UsageError extends Error {
  readonly code = 'usage';
}

/**
 * Runs the measurement that the first argument names, and prints its figures on stdout. Exit 0 when it was measured, also
 * where a goal was missed; 2 for wrong usage; 1 where it could not be measured.
 */
export const runChosen = async (
  measurements: readonly Bench[],
  usage: string,
  [name, ...options]: readonly string[],
): Promise<void> => {
  const chosen = measurements.find((measurement) => measurement.name === name);
  if (!chosen) {
    process.stderr.write(usage);
    process.exit(name === '--help' ? 0 : 2);
  }
  try {
    printFigures(await chosen.run(options), process.stdout);
  } catch (error) {
    const isUsage =
      error instanceof UsageError ||
      (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
    process.stderr.write(`${isUsage ? `${error.message}\n\n${usage}` : told(error)}\n`);
    process.exit(isUsage ? 2 : 1);
  }
};

/** A file that is not as it must be is no fault of the program's: where that stands in it is no help. */
const told = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const isOfInput = 'code' in error && (error.code === 'bad_input' || error.code === 'file_unreadable');
  return isOfInput ? error.message : (error.stack ?? error.message);
};
