import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const READY = /^ready (http:\/\/127\.0\.0\.1:\d+)$/m;

/** A temporary server over the local store for one command; end it with `stop`. */
export type OwnServer = { readonly url: URL; readonly stop: () => Promise<void> };

/** Throws with the server's message if it does not start, for example because another one holds the store. */
export const startOwnServer = async (signal: AbortSignal): Promise<OwnServer> => {
  const server = spawn(process.execPath, [MAIN], {
    env: { ...process.env, SPOOR_PORT: '0', SPOOR_HOST: '127.0.0.1', SPOOR_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(server, 'close');
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    await ended;
  };
  signal.addEventListener('abort', () => void server.kill('SIGTERM'));
  let errors = '';
  server.stderr.on('data', (bytes: Buffer) => {
    errors = (errors + bytes.toString('utf8')).slice(-2_000);
  });
  const ready = new Promise<URL>((resolve) => {
    let output = '';
    server.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString('utf8');
      const [, url] = READY.exec(output) ?? [];
      if (url !== undefined) resolve(new URL(url));
    });
  });
  const url = await Promise.race([ready, ended.then(() => null)]);
  if (url === null) throw new OwnServerError(errors.trim());
  return { url, stop };
};

class OwnServerError extends Error {
  readonly code = 'server_not_started';
  constructor(said: string) {
    super(`a server over the local store did not start: ${said || 'it said nothing'}`);
    this.name = 'OwnServerError';
  }
}
