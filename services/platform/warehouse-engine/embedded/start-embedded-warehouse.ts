import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Logger } from '../../logger.ts';
import { analystDatabaseOf } from '../analyst-database.ts';
import { type Credentials, createWarehouseClient } from '../create-clients.ts';
import { sendBody } from '../send-body.ts';
import type { Warehouse } from '../warehouse.ts';
import { WarehouseHeldError, WarehouseUnavailableError } from '../warehouse-errors.ts';
import { isAlive, ROLES, type Role, readEndpoint, USER_OF } from './endpoint.ts';
import { DEFAULT_LIMITS, type EngineLimits, type EngineOptions } from './engine-options.ts';
import { type EngineState, EngineSupervisor } from './engine-supervisor.ts';
import type { Configuration } from './to-xml.ts';

/** Timeout for a running engine. A call into it may block it for some seconds. */
const ANSWER_TIMEOUT_MS = 10_000;

export type EmbeddedWarehouseOptions = {
  /** The folder of all the engine's data. Created if missing. */
  readonly folder: string;
  readonly database: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly limits?: Partial<EngineLimits>;
  /** Merged into the server's configuration, like a file of `config.d`. */
  readonly configuration?: Configuration;
  /** More users, profiles and quotas, like a file of `users.d`. */
  readonly users?: Configuration;
  readonly logger?: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** `down` when the engine died and is being restarted, `up` when it answers again. */
  readonly onState?: (state: EngineState) => void;
};

export type EmbeddedWarehouse = Warehouse & {
  readonly url: string;
  /** For analysts' tools: address, user and password in one URL. Cannot write, see `docs/analysts.md`. */
  readonly analystUrl: string;
  /** The engine's process id; it changes after a restart. */
  readonly pid: number;
};

/**
 * Starts the engine as a child process that owns the folder, and waits until it answers. Throws
 * `WarehouseHeldError` when the folder belongs to a running engine, and `WarehouseUnavailableError` when the
 * engine does not start.
 */
export async function startEmbeddedWarehouse(request: EmbeddedWarehouseOptions): Promise<EmbeddedWarehouse> {
  const folder = resolve(request.folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await refuseHeld(folder);
  const options: EngineOptions = {
    folder,
    database: request.database,
    port: request.port ?? 0,
    credentials: freshCredentials(),
    limits: { ...DEFAULT_LIMITS, ...request.limits },
    configuration: request.configuration ?? {},
    users: request.users ?? {},
  };
  const supervisor = new EngineSupervisor(options, request.logger, request.onState);
  const port = await supervisor.start();
  const warehouse = connect({ port, database: request.database, credentials: options.credentials });
  return {
    ...warehouse,
    get pid() {
      return supervisor.pid;
    },
    lastEndUnixMs: () => supervisor.lastEndUnixMs,
    async close() {
      // The engine first, because it finishes running queries before it ends.
      await supervisor.stop();
      await warehouse.close();
    },
  };
}

/**
 * Checked before the engine finds its folder locked, because its own message would be alarming. A holder
 * without its owner is about to end.
 */
const refuseHeld = async (folder: string): Promise<void> => {
  const running = await connectEmbeddedWarehouse({ folder }).catch(() => null);
  await running?.close();
  if (running && isAlive(running.ownerPid)) throw new WarehouseHeldError(folder, running.pid);
};

/** Another of our processes runs the engine, and restarts it at the same place when it dies. */
export type ConnectedWarehouse = EmbeddedWarehouse & { readonly ownerPid: number };

/**
 * Connects to an engine that another process of the same user started on this folder. `close` does not end
 * it.
 */
export async function connectEmbeddedWarehouse(request: { folder: string }): Promise<ConnectedWarehouse> {
  const folder = resolve(request.folder);
  const endpoint = readEndpoint(folder);
  if (endpoint === null || !isAlive(endpoint.pid)) {
    throw new WarehouseUnavailableError(`no engine is running on ${request.folder}`);
  }
  const warehouse = connect(endpoint);
  const ping = await warehouse.reader.ping({
    select: false,
    abort_signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  if (!ping.success) {
    await warehouse.close();
    throw new WarehouseUnavailableError(`the engine of ${request.folder} does not answer`, {
      cause: ping.error,
    });
  }
  return { ...warehouse, pid: endpoint.pid, ownerPid: endpoint.parentPid };
}

type Target = {
  port: number;
  database: string;
  credentials: Readonly<Record<Role, Credentials>>;
};

function connect({ port, database, credentials }: Target): Omit<EmbeddedWarehouse, 'pid'> {
  const url = `http://127.0.0.1:${port}`;
  const writer = createWarehouseClient({ url, database, credentials: credentials.writer });
  const reader = createWarehouseClient({ url, database, credentials: credentials.reader });
  const { username, password } = credentials.analyst;
  return {
    writer,
    reader,
    database,
    insertBody: (insert) => sendBody(writer, insert),
    url,
    analystUrl: `http://${username}:${password}@127.0.0.1:${port}/?database=${analystDatabaseOf(database)}`,
    async close() {
      await Promise.all([writer.close(), reader.close()]);
    },
  };
}

function freshCredentials(): Record<Role, Credentials> {
  const fresh = (role: Role) => [
    role,
    { username: USER_OF[role], password: randomBytes(24).toString('hex') },
  ];
  return Object.fromEntries(ROLES.map(fresh)) as Record<Role, Credentials>;
}
