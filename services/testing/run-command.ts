import { Command, CommanderError } from 'commander';
import { COMMANDS } from '../cli/commands.ts';
import { EXIT_USAGE, tellFailure } from '../cli/tell-failure.ts';
import { environment } from './run-program.ts';

type Result = { readonly code: number; readonly stdout: string; readonly stderr: string };

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const withInner = (command: Command): Command[] => [command, ...command.commands.flatMap(withInner)];

/** What is written to both outputs until `end`. */
const capture = () => {
  const text = { stdout: '', stderr: '' };
  const ends = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
      text[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      for (const callback of more) if (typeof callback === 'function') callback();
      return true;
    }) as typeof write;
    return () => {
      stream.write = write;
    };
  });
  return { text, end: () => ends.forEach((end) => void end()) };
};

/** The environment, exit code and signal handlers are the whole process's: a command gets its own and leaves none behind. */
const asOwnProcess = async (env: Readonly<Record<string, string>>, work: () => Promise<void>) => {
  const before = { env: process.env, code: process.exitCode };
  const handlers = SIGNALS.map((name) => process.listeners(name));
  process.env = environment(env);
  process.exitCode = undefined;
  try {
    await work();
    return Number(process.exitCode ?? 0);
  } finally {
    process.env = before.env;
    process.exitCode = before.code;
    for (const [i, name] of SIGNALS.entries())
      for (const handler of process.listeners(name))
        if (!handlers[i]?.includes(handler)) process.off(name, handler);
  }
};

/**
 * Runs a command to its end in this process: its own parser, work and words, without the second that a process takes to
 * start. One at a time. Signals, exit codes and what two processes do to each other need a process: `runProgram`.
 */
export const runCommand = async (
  [name = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Result> => {
  const load = COMMANDS[name];
  if (!load) throw new Error(`there is no command ${name}`);
  const program = new Command('spoor').addCommand(await load());
  for (const command of withInner(program)) command.exitOverride();
  const { text, end } = capture();
  try {
    const code = await asOwnProcess(env, async () => {
      await program.parseAsync([name, ...args], { from: 'user' });
    });
    return { code, ...text };
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : EXIT_USAGE, ...text };
    // An error without a code is no refusal.
    if (!(error instanceof Error && 'code' in error)) throw error;
    const { stderr, code } = tellFailure(error);
    return { code, stdout: text.stdout, stderr: `${text.stderr}${stderr}` };
  } finally {
    end();
  }
};
