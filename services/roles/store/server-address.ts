import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../platform/replace-file.ts';
import { isAlive } from '../../platform/warehouse-engine/embedded/endpoint.ts';

/** Where the server over a store answers. Commands with the same data folder find it there. */
type ServerAddress = { readonly pid: number; readonly url: string };

const pathOf = (folder: string): string => join(folder, 'server.json');
const UNSPECIFIED = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' } as const;

/** A server that listens everywhere is asked on this machine. */
const toReachable = (listening: string): string => {
  const url = new URL(listening);
  if (url.hostname in UNSPECIFIED) url.hostname = UNSPECIFIED[url.hostname as keyof typeof UNSPECIFIED];
  return url.origin;
};

export const writeServerAddress = (folder: string, listening: string): void => {
  const address: ServerAddress = { pid: process.pid, url: toReachable(listening) };
  replaceFile(pathOf(folder), `${JSON.stringify(address)}\n`);
};

/** Another process may have written its own meanwhile: that one stays. */
export const removeServerAddress = (folder: string): void => {
  if (read(folder)?.pid === process.pid) rmSync(pathOf(folder), { force: true });
};

/** null where no server runs over the store, also where one was killed. */
export const findServer = (folder: string): URL | null => {
  const address = read(folder);
  return address !== null && isAlive(address.pid) && URL.canParse(address.url) ? new URL(address.url) : null;
};

const read = (folder: string): ServerAddress | null => {
  try {
    return JSON.parse(readFileSync(pathOf(folder), 'utf8')) as ServerAddress;
  } catch {
    return null;
  }
};
