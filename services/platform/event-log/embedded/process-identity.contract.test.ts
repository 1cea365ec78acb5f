import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isGone, ownIdentity } from './process-identity.ts';

const own = ownIdentity();

test('a process that runs is not gone', () => {
  expect(isGone(own)).toBe(false);
});

test('a process that ended is gone', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'close');
  expect(isGone({ ...own, pid: child.pid ?? -1 })).toBe(true);
});

test('a process that only stands still is not gone', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  child.kill('SIGSTOP');
  expect(isGone({ ...own, pid: child.pid ?? -1, startedAt: null })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'close');
});

test.runIf(own.startedAt !== null)('a process whose number was given to another one is gone', () => {
  expect(isGone({ ...own, startedAt: '1' })).toBe(true);
});

test('nothing is said of processes on other machines', () => {
  expect(isGone({ ...own, machine: 'elsewhere', pid: 2 ** 22 + 1 })).toBe(false);
});
