import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export type WorldExample = {
  readonly chain: string;
  readonly start: string;
  readonly since: number;
};

export type RunningWorld = {
  /** The chains answer at `<url>/solana` and `<url>/ethereum`. */
  readonly url: string;
  readonly ranges: Readonly<Record<string, { first: number; last: number }>>;
  /** The list of publicly known addresses. */
  readonly labels: string;
  readonly examples: readonly WorldExample[];
  stop(): Promise<void>;
};

type Announcement = Omit<RunningWorld, 'stop'>;

const PROGRAM = new URL('../../demo-world/rpc/rpc-process.ts', import.meta.url).pathname;

/** Serves a seed's generated world from a child process, which ends with this one. */
export const startWorld = async (request: { seed: number; truthFolder: string }): Promise<RunningWorld> => {
  const child = spawn(
    process.execPath,
    [PROGRAM, '--seed', String(request.seed), '--truth', request.truthFolder],
    {
      // The channel closes when this process ends.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { url, ranges, labels, examples } = await new Promise<Announcement>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`the generated world ended with code ${code} before it served its blocks`)),
    );
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.startsWith('{')) resolve(JSON.parse(line) as Announcement);
      });
  });
  return {
    url,
    ranges,
    labels,
    examples,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
};
