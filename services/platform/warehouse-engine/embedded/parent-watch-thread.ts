/**
 * Kills this process where it has not ended in its time after its parent. A thread of its own: a call into the engine that
 * does not return holds up the other, which then does not even learn that the parent is gone.
 */
import { workerData } from 'node:worker_threads';

export type ParentWatch = { readonly parentPid: number; readonly leaveMs: number };

const CHECK_MS = 250;
const { parentPid, leaveMs } = workerData as ParentWatch;

const check = setInterval(() => {
  // Another one adopts the child of a process that has ended.
  if (process.ppid === parentPid) return;
  clearInterval(check);
  // Whatever moment it is: the tables are made for that.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), leaveMs);
}, CHECK_MS);
