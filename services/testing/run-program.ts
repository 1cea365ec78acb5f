import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { onTestFinished, TestRunner } from 'vitest';
import { descendantsOf, endLeftover } from './processes.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NODE_MAJOR = 24;

export type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A program of this project in a process of its own; ended with the test, with everything that it started. */
export type Program = {
  readonly process: ChildProcess;
  readonly pid: number;
  /** What it has printed so far. */
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ending>;
  /** The first match in one of its two outputs; throws, with what it said, when it ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Every process that descends from it right now. */
  descendants(): number[];
};

export const PROGRAMS = {
  server: [process.execPath, 'services/main.ts'],
  cli: [process.execPath, 'services/cli/main.ts'],
  evaluate: [process.execPath, 'scripts/evaluate.ts'],
  bench: [process.execPath, 'scripts/bench.ts'],
  tryPayment: [process.execPath, 'scripts/try-payment.ts'],
} as const;

/** The launcher on the machine's own Node where that is an older one; null where there is none beside ours. */
export const launcher = (): [string, string] | null => {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((f) => !f.includes('node_modules'));
  const node = folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path));
  if (node === undefined) return null;
  const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return Number.parseInt(stdout, 10) < NODE_MAJOR ? [node, 'bin/spoor.js'] : null;
};

/** Whoever starts a program for a whole file waits for its end. */
const isInTest = (): boolean => TestRunner.getCurrentTest() !== undefined;

/** What a test has started ends with it; whoever starts something for a whole file ends it. */
export const endWithTest = (end: () => Promise<void>): void => {
  if (isInTest()) onTestFinished(end);
};

/** What our programs are configured by. */
const OUR_VARIABLES = /^(SPOOR|KAFKA|SCHEMA_REGISTRY|CLICKHOUSE|X402)_/;

/** Our own variables are those of the test and no others. */
export const environment = (extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(([name]) => !OUR_VARIABLES.test(name));
  return { ...Object.fromEntries(inherited), NODE_OPTIONS: '', ...extra };
};

export const startProgram = (
  [command, file]: readonly [string, string],
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  /** Runs it as another user, where this one may do that. */
  uid?: number,
): Program => {
  const child = spawn(command, [join(ROOT, file), ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const pid = child.pid ?? -1;
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      child.emit('more');
    });
  }
  // `exit`, not `close`: what it started may hold its outputs open for a while.
  const ended = new Promise<Ending>((resolveEnd) => {
    child.once('exit', (code, signal) => {
      resolveEnd({ code, signal });
      // There is nothing more to wait for.
      child.emit('more');
    });
  });
  const known = new Set<number>();
  const descendants = (): number[] => {
    const found = descendantsOf(pid);
    for (const each of found) known.add(each);
    return found;
  };
  const end = async (): Promise<void> => {
    descendants();
    child.kill('SIGKILL');
    await ended;
    for (const each of known) await endLeftover(each);
  };
  endWithTest(end);

  const printed = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
      if (found) return found;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${file} ended without printing ${pattern}:\n${output.stdout}\n${output.stderr}`);
      await new Promise<void>((resolveMore) => child.once('more', resolveMore));
    }
  };
  return {
    process: child,
    pid,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    printed,
    descendants,
  };
};

/** Runs a program to its end. */
export const runProgram = async (...request: Parameters<typeof startProgram>) => {
  const program = startProgram(...request);
  const ending = await program.ended;
  return { ...ending, stdout: program.stdout(), stderr: program.stderr() };
};
