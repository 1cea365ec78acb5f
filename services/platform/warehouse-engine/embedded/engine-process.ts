/**
 * The embedded engine: a process that holds the lock on its folder, runs the server of chDB's library, and
 * ends when its parent ends in any way.
 */
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseError } from '@clickhouse/client';
import { isFree } from '../../free-port.ts';
import { messageOf } from '../../message-of.ts';
import { createWarehouseClient } from '../create-clients.ts';
import { quoteString } from '../sql-tokens.ts';
import type { WarehouseClient } from '../warehouse.ts';
import { writeEndpoint } from './endpoint.ts';
import { serverConfiguration, usersConfiguration } from './engine-configuration.ts';
import type { EngineMessage, EngineOptions, ParentMessage } from './engine-options.ts';
import { forgetLostParts } from './forget-lost-parts.ts';
import { lockFolder } from './lock-folder.ts';
import { makePipe, runServer } from './run-server.ts';
import { toXml } from './to-xml.ts';

const DATA = 'data';
const ANSWER_CHECK_MS = 10;
const INSERTS_CHECK_MS = 10;

const tell = (message: EngineMessage): Promise<void> =>
  new Promise((told) => {
    if (process.connected) process.send?.(message, () => told());
    else told();
  });

const end = async (message: EngineMessage): Promise<never> => {
  await tell(message);
  process.exit(1);
};

/** The server writes its owner into its folder. */
const readHolder = (folder: string): number | null => {
  try {
    return Number(/^PID: (\d+)$/m.exec(readFileSync(join(folder, DATA, 'status'), 'utf8'))?.[1]) || null;
  } catch {
    return null;
  }
};

/** Resolves when the server ends, with its error. */
const serve = async (options: EngineOptions): Promise<string | null> => {
  const at = (name: string) => join(options.folder, name);
  mkdirSync(at(DATA), { recursive: true, mode: 0o700 });
  forgetLostParts(at(DATA));
  const listens = options.configuration.tcp_port ? ['HTTP', 'TCP'] : ['HTTP'];
  // It contains only hashes of the passwords, but is kept private anyway.
  const write = (name: string, text: string) => writeFileSync(at(name), text, { mode: 0o600 });
  write('users.xml', toXml(usersConfiguration(options, listens)));
  write('config.xml', toXml({ users_config: at('users.xml'), ...serverConfiguration(options) }));
  const gate = await makeGate(options.folder);
  const queries = [
    `SELECT file(${quoteString(gate)}) FORMAT Null`,
    ...listens.map((protocol) => `SYSTEM START LISTEN ${protocol}`),
    WAIT,
  ];
  return runServer([
    ...['clickhouse', `--path=${at(DATA)}`, `--config-file=${at('config.xml')}`],
    `--query=${queries.join('; ')}`,
  ]);
};

/**
 * The function `file` lets everybody read every file of this machine, and in this library no grant prevents
 * it. But it first resolves its working directory and fails without one. The server needs one until its first
 * query, so that query waits at a pipe until the directory is deleted. Nobody can send a query before the
 * second.
 */
const makeGate = async (folder: string): Promise<string> => {
  const [nowhere, gate] = [join(folder, 'nowhere'), join(folder, 'gate')];
  mkdirSync(nowhere, { recursive: true });
  process.chdir(nowhere);
  rmSync(gate, { force: true });
  await makePipe(gate);
  // Opens when the other side is open.
  void open(gate, 'w').then(async (pipe) => {
    rmdirSync(nowhere);
    rmSync(gate);
    await pipe.close();
  });
  return gate;
};

/** Runs until the process ends. It has no user, so that it counts towards no user's limit. */
const WAIT = `SELECT sleepEachRow(3) FROM system.numbers FORMAT Null
  SETTINGS function_sleep_max_microseconds_per_block = 0`;

const untilAnswering = async (writer: WarehouseClient, database: string): Promise<void> => {
  for (;;) {
    try {
      await writer.command({
        query: 'CREATE DATABASE IF NOT EXISTS {database:Identifier} ENGINE = Atomic',
        query_params: { database },
      });
      return;
    } catch (error) {
      // A server that does not know the password is not ours: the port belongs to another process, and this
      // one ends.
      if (error instanceof ClickHouseError && error.code !== AUTHENTICATION_FAILED) throw error;
      await sleep(ANSWER_CHECK_MS);
    }
  }
};

const AUTHENTICATION_FAILED = '516';

const start = async ({ options, parentPid }: ParentMessage): Promise<void> => {
  const { folder, port, database, credentials } = options;
  if (!lockFolder(folder)) await end({ type: 'held', pid: readHolder(folder) });
  // The server would end without a message.
  if (!(await isFree(port))) await end({ type: 'port_taken' });
  const url = `http://127.0.0.1:${port}`;
  const writer = createWarehouseClient({ url, database: 'system', credentials: credentials.writer });
  const ended = serve(options).then((problem) => {
    // The first line has the message. The rest is the library's stack.
    throw new Error(problem?.split('\n')[0] ?? 'it ended');
  });
  await Promise.race([ended, untilAnswering(writer, database)]);
  writeEndpoint(folder, { version: 1, pid: process.pid, parentPid, port, database, credentials });
  await tell({ type: 'ready' });
  // At its end it is killed, and would not do so.
  flushCompileCache();
  // From here on running inserts are finished first.
  process.off('disconnect', orphaned);
  if (process.connected) await new Promise<void>((disconnected) => process.once('disconnect', disconnected));
  await Promise.race([untilNoInserts(writer), sleep(options.limits.leaveSecondsMax * 1_000)]);
  process.exit(0);
};

/** Finishes confirmed inserts. Nobody waits for queries any more. */
const untilNoInserts = async (writer: WarehouseClient): Promise<void> => {
  const query = "SELECT count() FROM system.processes WHERE query_kind = 'Insert'";
  for (;;) {
    const answer = await writer.query({ query, format: 'JSONCompactEachRow' }).catch(() => null);
    const [row] = (await answer?.json<[string]>().catch(() => null)) ?? [];
    if (row?.[0] === '0') return;
    await sleep(INSERTS_CHECK_MS);
  }
};

// The library's exit handlers may hang. Everything confirmed is on disk, and every start can recover from a
// kill.
process.on('exit', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C goes to the whole process group, but the parent decides when the engine ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
// If the parent dies before its first message, there is nothing to finish.
const orphaned = () => process.exit(0);
process.once('disconnect', orphaned);
process.once('message', (message: ParentMessage) => {
  start(message).catch((error: unknown) => end({ type: 'failed', message: messageOf(error) }));
});
