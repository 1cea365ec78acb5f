import { totalmem } from 'node:os';
import type { Credentials } from '../create-clients.ts';
import type { Role } from './endpoint.ts';
import type { Configuration } from './to-xml.ts';

/** What the parent tells the engine process in its first message. */
export type EngineOptions = {
  readonly folder: string;
  readonly database: string;
  readonly port: number;
  readonly credentials: Readonly<Record<Role, Credentials>>;
  readonly limits: EngineLimits;
  /** Laid over the server's configuration, as a file of `config.d` would be. */
  readonly configuration: Configuration;
};

export type EngineLimits = {
  /** How long an engine whose parent is gone may take for the inserts that run. */
  readonly leaveSecondsMax: number;
  /** Everything the engine holds: queries, inserts, merges and caches. */
  readonly engineMemoryBytesMax: number;
};

const GIBIBYTE = 1024 ** 3;

export const DEFAULT_LIMITS: EngineLimits = {
  leaveSecondsMax: 30,
  // What a container grants counts, not what its machine has.
  engineMemoryBytesMax: Math.min(8 * GIBIBYTE, Math.floor((process.constrainedMemory() || totalmem()) / 2)),
};

export type ParentMessage = {
  readonly type: 'start';
  readonly parentPid: number;
  readonly options: EngineOptions;
};

export type EngineMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'held'; readonly pid: number | null }
  | { readonly type: 'port_taken' }
  | { readonly type: 'failed'; readonly message: string };
