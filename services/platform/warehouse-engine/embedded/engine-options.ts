import { totalmem } from 'node:os';
import type { Credentials } from '../create-clients.ts';
import type { Role } from './endpoint.ts';

/** What the parent tells the engine process in its first message. */
export type EngineOptions = {
  readonly folder: string;
  readonly database: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly credentials: Readonly<Record<Role, Credentials>>;
  readonly limits: EngineLimits;
};

export type EngineLimits = {
  /** Queries at a time: questions of the service, questions of analysts and batch work, inserts. */
  readonly querySlots: number;
  readonly heavySlots: number;
  readonly insertSlots: number;
  /** Requests that may wait for a slot of one kind; more are refused with TOO_MANY_SIMULTANEOUS_QUERIES. */
  readonly waitingMax: number;
  readonly queryBytesMax: number;
  /** A statement together with data that stands in it; collected in memory. */
  readonly textBytesMax: number;
  /** Data of an insert; written to a file. */
  readonly insertBytesMax: number;
  /** A result up to this size is answered from memory; a larger one is streamed from the engine. */
  readonly resultBytesBuffered: number;
  readonly executionSecondsMax: number;
  /**
   * What a reader's subqueries may take, where the result is too large for memory: they are computed again before it is streamed,
   * while nobody else is served.
   */
  readonly preparedSecondsMax: number;
  /** How long a reader of a result may take none of it before it is ended: it holds a slot. */
  readonly stalledSecondsMax: number;
  /** How long an engine whose parent is gone may take for the inserts that run. */
  readonly leaveSecondsMax: number;
  readonly queryMemoryBytesMax: number;
  /** Everything the engine holds: queries, inserts, merges and caches. */
  readonly engineMemoryBytesMax: number;
};

const GIBIBYTE = 1024 ** 3;

export const DEFAULT_LIMITS: EngineLimits = {
  querySlots: 4,
  heavySlots: 2,
  insertSlots: 2,
  waitingMax: 256,
  queryBytesMax: 8 * 1024 * 1024,
  textBytesMax: 64 * 1024 * 1024,
  insertBytesMax: 2 * GIBIBYTE,
  resultBytesBuffered: 8 * 1024 * 1024,
  executionSecondsMax: 300,
  preparedSecondsMax: 5,
  stalledSecondsMax: 60,
  leaveSecondsMax: 30,
  queryMemoryBytesMax: 4 * GIBIBYTE,
  // What a container grants counts, not what its machine has.
  engineMemoryBytesMax: Math.min(8 * GIBIBYTE, Math.floor((process.constrainedMemory() || totalmem()) / 2)),
};

/** libuv's default of four threads lets four heavy queries stall every other one. */
export function threadPoolSize(limits: EngineLimits): number {
  // Half as much again for files, gzip and the engine's own little questions.
  return Math.ceil((limits.querySlots + limits.heavySlots + limits.insertSlots) * 1.5) + 4;
}

/** After this the folder is free, or the engine is killed: closing it takes a moment too. */
export const leaveTimeoutMs = ({ leaveSecondsMax }: EngineLimits): number => (leaveSecondsMax + 10) * 1_000;

export type ParentMessage = {
  readonly type: 'start';
  readonly parentPid: number;
  readonly options: EngineOptions;
};

export type EngineMessage =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'held'; readonly pid: number }
  | { readonly type: 'failed'; readonly message: string };
