/** One run of a program, from its call to its end. */
export type ProgramRun = {
  readonly program: string;
  /** Which of its program's runs in the transaction it is, from 0. */
  readonly position: number;
  /** Who called it: null where the transaction did, or where the log does not say. */
  readonly caller: ProgramRun | null;
};

/** What a program said while it ran. */
export type ProgramLog = {
  readonly run: ProgramRun;
  /** The bytes of its data in base64 (`Program data: `), else null. */
  readonly data: string | null;
  readonly text: string;
};

export type ProgramLogs = {
  readonly logs: readonly ProgramLog[];
  /** By program how often it ran. */
  readonly runs: ReadonlyMap<string, number>;
};

// Nine deep is the most that the chain allows.
const INVOKE = /^Program (\w+) invoke \[(\d{1,2})\]$/;
const TEXT = 'Program log: ';
const DATA = 'Program data: ';

/**
 * The lines that programs wrote, with who wrote them: anybody can write any text, but not in another's name. Nodes cut long
 * logs; what is missing is not told.
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
