import type { LogError } from '../event-log.ts';
import { batchRecords, type PlacedAppend } from './batch-records.ts';
import type { Connection } from './connection.ts';
import { toLogError } from './kafka-error.ts';
import { initProducer, type ProducerIdentity, produceBatches } from './produce-batches.ts';
import type { TopicCatalog } from './topic-catalog.ts';

/** Writes appends and says of each whether it was refused; where it was not, its offsets are filled in. */
export type WriteAppends = (appends: readonly PlacedAppend[]) => Promise<(LogError | null)[]>;

/** Not used without transactions, and asked for by the protocol. */
const NO_TRANSACTION_TIMEOUT_MS = 60_000;

/**
 * Appends of one batch each: Kafka writes a batch whole or not at all, so they need no transaction. A batch that the
 * broker refuses takes only the appends in it with it.
 */
export const createIdempotentWriter = (connection: Connection, catalog: TopicCatalog): WriteAppends => {
  let identity: ProducerIdentity | null = null;

  return async (appends) => {
    const refused = new Map<PlacedAppend, LogError>();
    try {
      identity ??= await connection.run((session) =>
        initProducer(session, { transactionTimeoutMs: NO_TRANSACTION_TIMEOUT_MS }),
      );
      const [batches = []] = batchRecords(appends);
      const options = { connection, catalog, identity };
      await produceBatches(batches, options).catch(async () => {
        // One request has one answer: each batch alone tells which of them was meant.
        for (const batch of batches) {
          await produceBatches([batch], options).catch((error: unknown) => {
            for (const { append } of batch.slots) refused.set(append, toLogError(error));
          });
        }
      });
    } catch (error) {
      return appends.map(() => toLogError(error));
    }
    // The broker may know more of the sequence than we do after a refusal.
    if (refused.size > 0) identity = null;
    return appends.map((append) => refused.get(append) ?? null);
  };
};
