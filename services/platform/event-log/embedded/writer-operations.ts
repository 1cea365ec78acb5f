import type { DatabaseSync } from 'node:sqlite';
import { createGroupLeases } from './group-leases.ts';
import { inTransaction } from './in-transaction.ts';
import { createInsertRecords, type RecordPack } from './insert-records.ts';
import { createPruneRecords } from './prune-records.ts';

/** Everything that writes to the log. Each call is one transaction, durable when it returns. */
export const createWriterOperations = (db: DatabaseSync) => {
  const insertRecords = createInsertRecords(db);
  return {
    append: (request: RecordPack) => inTransaction(db, () => insertRecords(request)),
    prune: createPruneRecords(db),
    ...createGroupLeases(db, insertRecords),
  };
};

export type WriterOperations = ReturnType<typeof createWriterOperations>;

export type OperationName = keyof WriterOperations;
export type OperationRequest<K extends OperationName> = Parameters<WriterOperations[K]>[0];
export type OperationResult<K extends OperationName> = ReturnType<WriterOperations[K]>;

/** Start-up data of the writing thread. */
export type WriterSettings = {
  readonly file: string;
  /** How long a write waits for another process's write before it fails with `log_locked`. */
  readonly lockTimeoutMs: number;
};

export type WriterMessage = {
  readonly id: number;
  readonly operation: OperationName;
  readonly request: unknown;
};
export type WriterAnswer =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number; readonly ok: false; readonly code: string; readonly message: string };

/** Asks the writing thread to close the file and end. */
export const STOP = 'stop';
