import { once } from 'node:events';
import { accessSync, constants, mkdirSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../message-of.ts';
import { quoteIdentifier } from '../sql-tokens.ts';
import { writeEndpoint } from './endpoint.ts';
import { Engine } from './engine.ts';
import { type EngineMessage, leaveTimeoutMs, type ParentMessage } from './engine-options.ts';
import { forgetLostParts } from './forget-lost-parts.ts';
import { createHttpInterface } from './http-interface.ts';
import { INCOMING } from './incoming.ts';
import type { ParentWatch } from './parent-watch-thread.ts';
import { QueryService } from './query-service.ts';
import { ReaderWalls } from './reader-walls.ts';
import { StatementReader } from './statement-reader.ts';

const FINISH_CHECK_MS = 10;
const ANSWER_TIMEOUT_MS = 1_000;

/**
 * chDB locks its folder and notes the holder there; that it is held shows only in what the engine prints. Whoever is noted
 * had it when it was asked for, though he may have gone since: had it been free, this process would be noted.
 */
function readHolder(): number | null {
  try {
    accessSync('data/status', constants.W_OK);
    const pid = Number(/^PID: (\d+)$/m.exec(readFileSync('data/status', 'utf8'))?.[1]);
    return pid > 0 && pid !== process.pid ? pid : null;
  } catch {
    return null;
  }
}

function tell(message: EngineMessage): Promise<void> {
  return new Promise((told) => {
    if (process.connected) process.send?.(message, () => told());
    else told();
  });
}

async function start({ options, parentPid }: ParentMessage): Promise<void> {
  let engine: Engine;
  try {
    engine = new Engine('data', [`--max_server_memory_usage=${options.limits.engineMemoryBytesMax}`]);
  } catch (error) {
    const message = messageOf(error);
    const pid = readHolder();
    await tell(pid === null ? { type: 'failed', message } : { type: 'held', pid });
    process.exit(1);
  }
  // The engine's own lock is ours now: whatever lies here was left by one that was killed.
  rmSync(INCOMING, { recursive: true, force: true });
  mkdirSync(INCOMING, { recursive: true, mode: 0o700 });
  const database = quoteIdentifier(options.database);
  await engine.run({
    prelude: '',
    statement: `CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic`,
    format: 'Null',
  });
  await forgetLostParts(engine, options.database);
  const reader = new StatementReader(engine, options.limits.queryBytesMax);
  const service = new QueryService({ engine, reader, limits: options.limits, incoming: INCOMING });
  const server = createHttpInterface({
    ...options,
    service,
    walls: new ReaderWalls(engine, options.database),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const { database: name, credentials } = options;
  writeEndpoint('.', {
    version: 1,
    pid: process.pid,
    // Not asked of the system, which names another one where it has ended meanwhile.
    parentPid,
    port,
    database: name,
    credentials,
  });
  void tell({ type: 'ready', port });
  await endWithParent(engine, server, service, options.limits.leaveSecondsMax * 1_000);
}

/**
 * The channel closes when the parent ends, however it ends: running inserts are finished, questions are cancelled by
 * the end of their connections, then the folder is free.
 */
async function endWithParent(
  engine: Engine,
  server: Server,
  service: QueryService,
  finishMs: number,
): Promise<void> {
  if (process.connected) await once(process, 'disconnect');
  server.close();
  for (let waitedMs = 0; service.busy > 0 && waitedMs < finishMs; waitedMs += FINISH_CHECK_MS) {
    await sleep(FINISH_CHECK_MS);
  }
  // What was answered last is still on its way out.
  server.closeIdleConnections();
  await Promise.race([new Promise((resolve) => server.close(resolve)), sleep(ANSWER_TIMEOUT_MS)]);
  // The endpoint stays: until the folder is free it says whose it is, and that its parent is gone.
  engine.close();
  process.exit(0);
}

// However this process ends, it ends here: what the library does at an exit waits for ever for a lock of its own at times, and
// nobody else could have the folder. What it has confirmed is on the disk.
process.on('exit', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C goes to the whole process group: the parent decides when the engine ends.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// A parent that dies before it has said anything leaves nothing to do.
const orphaned = () => process.exit(0);
process.once('disconnect', orphaned);
process.once('message', (message: ParentMessage) => {
  process.off('disconnect', orphaned);
  const { options, parentPid } = message;
  const watch: ParentWatch = { parentPid, leaveMs: leaveTimeoutMs(options.limits) };
  new Worker(new URL('./parent-watch-thread.ts', import.meta.url), { workerData: watch });
  process.chdir(options.folder);
  start(message).catch(async (error: unknown) => {
    await tell({ type: 'failed', message: messageOf(error) });
    process.exit(1);
  });
});
