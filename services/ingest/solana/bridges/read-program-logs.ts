/** What a program said while it ran. */
export type ProgramLog = {
  /** Who called whom, the one that said it last. */
  readonly programs: readonly string[];
  /** The bytes of its data in base64 (`Program data: `), else null. */
  readonly data: string | null;
  readonly text: string;
};

const INVOKE = /^Program (\w+) invoke \[(\d+)\]$/;
const TEXT = 'Program log: ';
const DATA = 'Program data: ';

/**
 * The lines that programs wrote, with who wrote them: anybody can write any text, but not in another's name. Nodes cut long
 * logs; what is missing is not told.
 */
export const readProgramLogs = (lines: readonly string[]): ProgramLog[] => {
  const programs: string[] = [];
  const logs: ProgramLog[] = [];
  for (const line of lines) {
    const [, program, depth] = INVOKE.exec(line) ?? [];
    if (program !== undefined) programs.splice(Number(depth) - 1, programs.length, program);
    else if (line === `Program ${programs.at(-1)} success`) programs.pop();
    else if (line.startsWith(TEXT))
      logs.push({ programs: [...programs], data: null, text: line.slice(TEXT.length) });
    else if (line.startsWith(DATA))
      logs.push({ programs: [...programs], data: line.slice(DATA.length), text: '' });
  }
  return logs;
};
