import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../replace-file.ts';
import type { Credentials } from '../create-clients.ts';

export const ROLES = ['writer', 'reader', 'analyst'] as const;
export type Role = (typeof ROLES)[number];
/** As `infra/clickhouse/users.d/spoor.yaml` names them. */
export const USER_OF = { writer: 'spoor', reader: 'spoor_reader', analyst: 'analyst' } as const;

/**
 * The address and credentials of the current or last engine. Stored in its folder, readable by its owner
 * only.
 */
export type Endpoint = {
  readonly version: 1;
  readonly pid: number;
  /** The process that started the engine; the engine ends with it. */
  readonly parentPid: number;
  readonly port: number;
  readonly database: string;
  readonly credentials: Readonly<Record<Role, Credentials>>;
};

const pathOf = (folder: string) => join(folder, 'endpoint.json');

/** Readers see the old file or the new one, never half of it. */
export function writeEndpoint(folder: string, endpoint: Endpoint): void {
  replaceFile(pathOf(folder), `${JSON.stringify(endpoint, null, 2)}\n`, { mode: 0o600 });
}

/** null when there is none, or none that this version understands. */
export function readEndpoint(folder: string): Endpoint | null {
  let text: string;
  try {
    text = readFileSync(pathOf(folder), 'utf8');
  } catch {
    return null;
  }
  try {
    const value = JSON.parse(text) as Endpoint;
    return value.version === 1 ? value : null;
  } catch {
    return null;
  }
}

export function isAlive(pid: number): boolean {
  // 0 and negative numbers would mean whole process groups.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
