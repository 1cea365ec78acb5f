import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, isFree } from '../platform/free-port.ts';

const BINARIES = ['nginx', '/usr/sbin/nginx'];
const FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
const START_TIMEOUT_MS = 10_000;

/** null where nginx is not installed. */
export const findNginx = (): string | null =>
  BINARIES.find((binary) => {
    try {
      execFileSync(binary, ['-v'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }) ?? null;

export type Nginx = { readonly url: string; stop(): Promise<void> };

/** nginx in front of an address, with no setting but that. */
export const startNginx = async (binary: string, upstream: string): Promise<Nginx> => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-nginx-'));
  const port = await freePort();
  const paths = FOLDERS.map((name) => `${name}_temp_path ${join(folder, name)};`);
  for (const name of FOLDERS) mkdirSync(join(folder, name));
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr error; events {}
     http { access_log off; ${paths.join(' ')}
       server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; } } }`,
  );
  const child = spawn(binary, ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (const until = Date.now() + START_TIMEOUT_MS; await isFree(port); await sleep(20))
    if (Date.now() > until || child.exitCode !== null) {
      await stop();
      throw new Error('nginx does not start');
    }
  return { url: `http://127.0.0.1:${port}`, stop };
};
