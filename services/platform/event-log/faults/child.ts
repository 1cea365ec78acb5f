import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type Child = {
  readonly process: ChildProcess;
  /** Complete lines it has printed so far. */
  lines(): string[];
  /** Resolves when at least this many lines came; throws when the child ended before. */
  waitForLines(count: number): Promise<string[]>;
  /** Resolves when this line came; throws when the child ended before. */
  waitForLine(line: string): Promise<void>;
  /** Ends it by its process id and waits until it is gone. */
  kill(): Promise<void>;
};

/** Starts a script of this folder in a process of its own. */
export const startChild = (script: string, args: readonly string[]): Child => {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    child.emit('more');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.on('close', () => child.emit('more'));
  const lines = (): string[] => output.split('\n').slice(0, -1);
  const waitUntil = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${script} ended: ${errors}`);
      await once(child, 'more');
    }
  };
  return {
    process: child,
    lines,
    waitForLines: async (count) => {
      await waitUntil(() => lines().length >= count);
      return lines();
    },
    waitForLine: (line) => waitUntil(() => lines().includes(line)),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
