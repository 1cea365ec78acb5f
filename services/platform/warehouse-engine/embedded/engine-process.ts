import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { quoteIdentifier } from '../sql-tokens.ts';
import { isAlive, removeEndpoint, writeEndpoint } from './endpoint.ts';
import { Engine } from './engine.ts';
import type { EngineMessage, EngineOptions, ParentMessage } from './engine-options.ts';
import { createHttpInterface } from './http-interface.ts';
import { QueryService } from './query-service.ts';
import { ReaderWalls } from './reader-walls.ts';
import { StatementReader } from './statement-reader.ts';

/** Bodies of inserts, relative to the folder, which is the working directory: a path of ours has no glob in it. */
const INCOMING = 'incoming';
const FINISH_TIMEOUT_MS = 60_000;

/** chDB locks its folder and notes the holder there; that it is held shows only in what the engine prints. */
function readHolder(): number | null {
  try {
    const pid = Number(/^PID: (\d+)$/m.exec(readFileSync('data/status', 'utf8'))?.[1]);
    return pid > 0 && pid !== process.pid && isAlive(pid) ? pid : null;
  } catch {
    return null;
  }
}

function tell(message: EngineMessage): void {
  if (process.connected) process.send?.(message);
}

async function start(options: EngineOptions): Promise<void> {
  let engine: Engine;
  try {
    engine = new Engine('data', []);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const pid = readHolder();
    tell(pid === null ? { type: 'failed', message } : { type: 'held', pid });
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
    tag: '',
  });
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
    parentPid: process.ppid,
    port,
    database: name,
    credentials,
  });
  endWithParent(engine, server);
  tell({ type: 'ready', port });
}

/** The channel closes when the parent ends, however it ends: running inserts are finished, then the folder is free. */
function endWithParent(engine: Engine, server: Server): void {
  process.once('disconnect', () => {
    const end = () => {
      // Until the folder is free the file says whose it is, and that its parent is gone.
      engine.close();
      removeEndpoint('.', process.pid);
      process.exit(0);
    };
    server.close(end);
    server.closeIdleConnections();
    setTimeout(end, FINISH_TIMEOUT_MS).unref();
  });
}

// Ctrl-C goes to the whole process group: the parent decides when the engine ends.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.once('message', (message: ParentMessage) => {
  process.chdir(message.options.folder);
  start(message.options).catch((error: unknown) => {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  });
});
