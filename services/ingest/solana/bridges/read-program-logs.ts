/** One run of a program, from call to end. */
export type ProgramRun = {
  readonly program: string;
  /** Index of the run among its program's, from 0. */
  readonly position: number;
  /** Its caller; null if it was the transaction, or the log does not say. */
  readonly caller: ProgramRun | null;
};

/** Text that a program logged in this run. */
export type ProgramLog = {
  readonly run: ProgramRun;
  /** The bytes of its base64 data (`Program data: `), else null. */
  readonly data: string | null;
  readonly text: string;
};

export type ProgramLogs = {
  readonly logs: readonly ProgramLog[];
  /** Runs of each program. */
  readonly runs: ReadonlyMap<string, number>;
};

// The chain allows nine levels.
const INVOKE = /^Program (\w+) invoke \[(\d{1,2})\]$/;
const TEXT = 'Program log: ';
const DATA = 'Program data: ';

/**
 * Logged lines with their programs: anybody can log any text, but only in his own program's name. Nodes cut long
 * logs without saying so.
 */
export const readProgramLogs = (lines: readonly string[]): ProgramLogs => {
  const stack: ProgramRun[] = [];
  const logs: ProgramLog[] = [];
  const runs = new Map<string, number>();
  for (const line of lines) {
    const run = stack.at(-1);
    const [, program, depth] = INVOKE.exec(line) ?? [];
    if (program !== undefined) {
      const position = runs.get(program) ?? 0;
      runs.set(program, position + 1);
      const callers = Number(depth) - 1;
      stack.splice(callers, stack.length, { program, position, caller: stack[callers - 1] ?? null });
    } else if (run === undefined) continue;
    else if (line === `Program ${run.program} success`) stack.pop();
    else if (line.startsWith(TEXT)) logs.push({ run, data: null, text: line.slice(TEXT.length) });
    else if (line.startsWith(DATA)) logs.push({ run, data: line.slice(DATA.length), text: '' });
  }
  return { logs, runs };
};
