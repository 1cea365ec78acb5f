import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const OUTPUT_BYTES_MAX = 1 << 20;

/** Runs a command to its end; rejects, with the end of what it said, when it cannot be run or fails. */
export const runToEnd = async (
  command: string,
  args: readonly string[],
  cwd = process.cwd(),
): Promise<string> => {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { maxBuffer: OUTPUT_BYTES_MAX, cwd });
    return stdout + stderr;
  } catch (cause) {
    const { stdout = '', stderr = '', message } = cause as Error & { stdout?: string; stderr?: string };
    throw new Error(`${command} failed: ${(stderr + stdout).trim().slice(-2_000) || message}`, { cause });
  }
};
