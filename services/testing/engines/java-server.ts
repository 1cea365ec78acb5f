import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_MS = 60_000;
const LOOK_MS = 50;
const LOG_CHARACTERS_SHOWN = 4_000;

/** A server in a process and a temporary folder of its own; both are gone however this process ends. */
export type JavaServer = AsyncDisposable & {
  /** Resolves when the process is gone; with SIGSTOP and SIGCONT, when it was told. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again on what it has stored; resolves when it answers. */
  restart(): Promise<void>;
};

type Running = {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  readonly guard: ChildProcess;
};

/**
 * Waits for the end of its input, which comes also when this process is killed, and takes the server and its folder with
 * it. In a session of its own: an interrupt from the terminal must not end it before the server.
 */
const GUARD = 'read _; kill -9 "$1" 2>/dev/null; rm -rf "$2"';
const startGuard = (pid: number, folder: string): ChildProcess => {
  const guard = spawn('sh', ['-c', GUARD, 'guard', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  return guard;
};

const start = (folder: string, args: readonly string[]): Running => {
  const log = openSync(join(folder, 'output.log'), 'a');
  const child = spawn('java', args, { cwd: folder, stdio: ['ignore', log, log] });
  closeSync(log);
  const guard = startGuard(child.pid ?? -1, folder);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      guard.kill('SIGKILL');
      resolve();
    });
  });
  return { process: child, ended, guard };
};

const hasEnded = ({ process: { exitCode, signalCode } }: Running): boolean =>
  exitCode !== null || signalCode !== null;

/**
 * Starts a Java program and waits until it answers.
 * @param prepare writes what the program needs into its folder and gives its arguments.
 */
export const startJavaServer = async (request: {
  name: string;
  prepare: (folder: string) => Promise<readonly string[]>;
  answers: () => Promise<boolean>;
}): Promise<JavaServer> => {
  const folder = mkdtempSync(join(tmpdir(), `spoor-${request.name}-`));
  let running: Running;

  const untilReady = async (): Promise<void> => {
    for (const endMs = Date.now() + READY_MS; !(await request.answers()); await sleep(LOOK_MS)) {
      if (!hasEnded(running) && Date.now() < endMs) continue;
      const said = readFileSync(join(folder, 'output.log'), 'utf8').slice(-LOG_CHARACTERS_SHOWN);
      throw new Error(`${request.name} does not answer; it said:\n${said}`);
    }
  };
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    running.process.kill(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await running.ended;
  };
  const dispose = async (): Promise<void> => {
    if (running !== undefined && !hasEnded(running)) await kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    const args = await request.prepare(folder);
    running = start(folder, args);
    await untilReady();
    return {
      kill,
      restart: async () => {
        if (!hasEnded(running)) throw new Error(`${request.name} still runs`);
        running = start(folder, args);
        await untilReady();
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
};
