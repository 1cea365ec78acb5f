import { showableLines } from '../platform/showable.ts';
import { EXIT_INTERRUPTED, InterruptedError } from './interrupt.ts';

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** What a command that threw writes to stderr, and its exit code. */
export const tellFailure = (error: unknown): { readonly stderr: string; readonly code: number } => {
  // Errors with a code are ours and say what to do. Others need their stack.
  const known = error instanceof Error && 'code' in error;
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  return {
    stderr: `spoor: ${showableLines(text ?? '')}\n`,
    code: error instanceof InterruptedError ? EXIT_INTERRUPTED : EXIT_FAILED,
  };
};
