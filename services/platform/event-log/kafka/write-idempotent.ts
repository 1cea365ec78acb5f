import type { LogError } from '../event-log.ts';
import { batchRecords, type PlacedAppend } from './batch-records.ts';
import type { Connection } from './connection.ts';
import { toLogError } from './kafka-error.ts';
import { initProducer, type ProducerIdentity, produceBatches } from './produce-batches.ts';
import type { TopicCatalog } from './topic-catalog.ts';

/** Writes appends, and reports each refused one. The others get their offsets. */
export type WriteAppends = (appends: readonly PlacedAppend[]) => Promise<(LogError | null)[]>;

/** Unused without transactions, but required by the protocol. */
const NO_TRANSACTION_TIMEOUT_MS = 60_000;

/**
 * Writes appends of one batch each. Kafka writes a batch whole or not at all, so they need no transaction. A
 * refused batch affects only its own appends.
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
        // A request has one answer. Sending the batches one by one shows which was refused.
        for (const batch of batches) {
          await produceBatches([batch], options).catch((error: unknown) => {
            for (const { append } of batch.slots) refused.set(append, toLogError(error));
          });
        }
      });
    } catch (error) {
      return appends.map(() => toLogError(error));
    }
    // After a refusal the broker's sequence number may be ahead of ours.
    if (refused.size > 0) identity = null;
    return appends.map((append) => refused.get(append) ?? null);
  };
};
