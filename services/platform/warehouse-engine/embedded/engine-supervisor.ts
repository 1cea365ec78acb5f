import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../free-port.ts';
import type { Logger } from '../../logger.ts';
import { WarehouseHeldError, WarehouseUnavailableError } from '../warehouse-errors.ts';
import { isAlive, readEndpoint } from './endpoint.ts';
import type { EngineMessage, EngineOptions, ParentMessage } from './engine-options.ts';

export type EngineState = 'up' | 'down';

const PROGRAM = fileURLToPath(new URL('./engine-process.ts', import.meta.url));
const START_TIMEOUT_MS = 120_000;
/**
 * How long to wait for a folder whose engine is about to end. That engine may have been given more time than
 * ours.
 */
const ORPHAN_TIMEOUT_MS = 70_000;
/** After its time for inserts. */
const CLOSE_SECONDS = 10;
const PORTS_MAX = 10;
const SAID_CHARACTERS_MAX = 4_000;
const RESTART_DELAY_MIN_MS = 100;
const RESTART_DELAY_MAX_MS = 10_000;

class PortTakenError extends WarehouseUnavailableError {
  constructor() {
    super('another process listens on the port of the warehouse engine');
  }
}

/** Keeps one engine process running on one folder, with the same port and credentials throughout. */
export class EngineSupervisor {
  #options: EngineOptions;
  readonly #logger: Pick<Logger, 'info' | 'warn' | 'error'> | undefined;
  readonly #onState: ((state: EngineState) => void) | undefined;
  #child: ChildProcess | null = null;
  #lastEndUnixMs: number | null = null;
  readonly #stopping = new AbortController();
  #restarting: Promise<void> = Promise.resolve();

  constructor(
    options: EngineOptions,
    logger: Pick<Logger, 'info' | 'warn' | 'error'> | undefined,
    onState: ((state: EngineState) => void) | undefined,
  ) {
    this.#options = options;
    this.#logger = logger;
    this.#onState = onState;
  }

  get pid(): number {
    return this.#child?.pid ?? -1;
  }

  /** When the engine last ended without being asked to. */
  get lastEndUnixMs(): number | null {
    return this.#lastEndUnixMs;
  }

  /** Resolves with the port once the engine answers. */
  async start(): Promise<number> {
    const { port } = this.#options;
    for (let attempts = 1; ; attempts++) {
      this.#options = { ...this.#options, port: port || (await freePort()) };
      try {
        await this.#startOnFreedFolder();
        return this.#options.port;
      } catch (error) {
        // Another process took the port between the check and the start.
        if (port || attempts === PORTS_MAX || !(error instanceof PortTakenError)) throw error;
      }
    }
  }

  async #startOnFreedFolder(): Promise<void> {
    const giveUpAtMs = performance.now() + ORPHAN_TIMEOUT_MS;
    for (;;) {
      try {
        await this.#spawn();
        return;
      } catch (error) {
        if (!(error instanceof WarehouseHeldError) || performance.now() > giveUpAtMs) throw error;
        if (!mayLeave(this.#options.folder, error.holderPid)) throw error;
        this.#logger?.info(
          { pid: error.holderPid },
          'another process still holds the folder of the tables; waiting for it',
        );
        // An exited child that was not reaped still looks alive, so check again after a while.
        let waited = 0;
        do await sleep(50, undefined, { signal: this.#stopping.signal });
        while (++waited < 20 && isAlive(error.holderPid ?? -1));
      }
    }
  }

  async #spawn(): Promise<void> {
    const { folder } = this.#options;
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: folder,
      env: { ...process.env, TZ: 'UTC', NODE_OPTIONS: '' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'json',
    });
    const message: ParentMessage = { type: 'start', parentPid: process.pid, options: this.#options };
    child.send(message, () => {});
    await untilReady(child, folder);
    this.#child = child;
    child.once('exit', (code, signal) => this.#died(child, code, signal));
  }

  #died(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#child !== child || this.#stopping.signal.aborted) return;
    this.#child = null;
    this.#lastEndUnixMs = Date.now();
    this.#logger?.error({ code, signal }, 'the warehouse engine ended and is started again');
    this.#onState?.('down');
    this.#restarting = this.#restart();
  }

  async #restart(): Promise<void> {
    let delayMs = RESTART_DELAY_MIN_MS;
    while (!this.#stopping.signal.aborted) {
      try {
        await sleep(delayMs, undefined, { signal: this.#stopping.signal });
        await this.#spawn();
        this.#logger?.info({ pid: this.pid }, 'the warehouse engine runs again');
        this.#onState?.('up');
        return;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#logger?.error({ err: error, delayMs }, 'the warehouse engine does not start; trying again');
        delayMs = Math.min(delayMs * 2, RESTART_DELAY_MAX_MS);
      }
    }
  }

  /** Waits until running inserts are finished and the folder is free. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#restarting;
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (child.connected) child.disconnect();
    const timer = setTimeout(
      () => child.kill('SIGKILL'),
      (this.#options.limits.leaveSecondsMax + CLOSE_SECONDS) * 1_000,
    );
    await ended;
    clearTimeout(timer);
  }
}

/**
 * The holder's own parent is gone, so it is about to end; or it has just started and has not written its
 * owner yet.
 */
function mayLeave(folder: string, holderPid: number | null): boolean {
  const endpoint = readEndpoint(folder);
  return endpoint?.pid !== holderPid || !isAlive(endpoint.parentPid);
}

const untilReady = (child: ChildProcess, folder: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-SAID_CHARACTERS_MAX);
    });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(new WarehouseUnavailableError('the warehouse engine does not answer'));
    }, START_TIMEOUT_MS);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    child.once('error', (error) =>
      fail(new WarehouseUnavailableError('the engine cannot be started', { cause: error })),
    );
    let message: EngineMessage | null = null;
    // After it has ended, all its output has arrived and it holds no lock.
    child.once('close', (code, signal) => fail(toStartError({ message, said, folder, signal, code })));
    child.once('message', (first: EngineMessage) => {
      message = first;
      if (first.type !== 'ready') return;
      clearTimeout(timer);
      resolve();
    });
  });

type Failure = {
  readonly message: EngineMessage | null;
  /** The server's output. */
  readonly said: string;
  readonly folder: string;
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
};

const toStartError = ({ message, said, folder, signal, code }: Failure): Error => {
  if (message?.type === 'held') return new WarehouseHeldError(folder, message.pid);
  // An engine of an earlier version uses only its library's lock.
  if (said.includes('Cannot lock file')) return new WarehouseHeldError(folder, null);
  if (message?.type === 'port_taken') return new PortTakenError();
  const reason = message?.type === 'failed' ? message.message : `it ended with ${signal ?? code}`;
  return new WarehouseUnavailableError(
    [`the warehouse engine does not start: ${reason}`, said.trim()].filter(Boolean).join('\n'),
  );
};
