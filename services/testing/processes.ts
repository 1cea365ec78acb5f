import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { PATIENCE } from './patience.ts';

const statOf = (pid: number): { state: string; parent: number } | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name, in brackets, may hold spaces and brackets itself.
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
};

/** Whether it still runs: one that has ended and is only waited for does not. */
export const isRunning = (pid: number): boolean => {
  const stat = statOf(pid);
  return stat !== null && stat.state !== 'Z' && stat.state !== 'X';
};

export const descendantsOf = (ancestor: number): number[] => {
  // Only Linux says so in files; elsewhere nothing is known of them.
  if (!existsSync('/proc/self/stat')) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(pids.map((name) => [Number(name), statOf(Number(name))?.parent ?? 0]));
  const descends = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === ancestor || (parent > 1 && descends(parent));
  };
  return [...parents.keys()].filter((pid) => descends(pid) && isRunning(pid));
};

const LEFTOVER_MS = 10_000;

/** What ends by itself, a little later than its parent, is given the time; the rest must not outlive the test. */
export const endLeftover = async (pid: number): Promise<void> => {
  for (const endMs = Date.now() + LEFTOVER_MS; isRunning(pid) && Date.now() < endMs; )
    await new Promise((resolveLater) => setTimeout(resolveLater, 50));
  if (isRunning(pid)) process.kill(pid, 'SIGKILL');
};

/** What it was started as, and what each of its threads waits in: why one has not ended shows at no other time. */
const describeProcess = (pid: number): string => {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
      const read = (name: string) => readFileSync(`/proc/${pid}/task/${thread}/${name}`, 'utf8').trim();
      return `${read('comm')} ${statOf(Number(thread))?.state} ${read('wchan')}`;
    });
    return [`${pid} ${command}`, ...threads].join('\n  ');
  } catch {
    return `${pid}`;
  }
};

/** Whatever a program started ends with it, however it ended. */
export const expectEnded = async (pids: readonly number[]): Promise<void> => {
  // Not `expect.poll`, which hooks may not use.
  const still = () => expect(pids.filter(isRunning).map(describeProcess)).toEqual([]);
  await vi.waitFor(still, PATIENCE);
};
