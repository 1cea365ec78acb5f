import { totalmem } from 'node:os';
import type { Credentials } from '../create-clients.ts';
import type { Role } from './endpoint.ts';
import type { Configuration } from './to-xml.ts';

/** The parent's first message to the engine process. */
export type EngineOptions = {
  readonly folder: string;
  readonly database: string;
  readonly port: number;
  readonly credentials: Readonly<Record<Role, Credentials>>;
  readonly limits: EngineLimits;
  /** Merged into the server's configuration, like a file of `config.d`. */
  readonly configuration: Configuration;
  /** More users, profiles and quotas, like a file of `users.d`. */
  readonly users: Configuration;
};

export type EngineLimits = {
  /** How long an engine whose parent is gone may spend on running inserts. */
  readonly leaveSecondsMax: number;
  /** The memory limit for everything in the engine: queries, inserts, merges and caches. */
  readonly engineMemoryBytesMax: number;
};

const GIBIBYTE = 1024 ** 3;

export const DEFAULT_LIMITS: EngineLimits = {
  leaveSecondsMax: 30,
  // The container's limit counts, not the machine's memory.
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
