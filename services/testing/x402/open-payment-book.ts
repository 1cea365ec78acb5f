import { onTestFinished } from 'vitest';
import { openPaymentBook, type PaymentBook } from '../../payments/book/payment-book.ts';
import { openPaymentCodec } from '../../payments/book/payment-codec.ts';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { systemClock } from '../../platform/clock.ts';
import { openEmbeddedLog } from '../../platform/event-log/embedded/open-embedded-log.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';

/** For what a test does not expect to be called. */
export const unexpected = (cause?: unknown): never => {
  throw new Error('this is not to happen', { cause });
};

/** The book of payments of one process on the embedded log of this folder, until the test ends. */
export const openEmbeddedBook = async (folder: string): Promise<{ log: EventLog; book: PaymentBook }> => {
  const log = await openEmbeddedLog({
    folder,
    topics: TOPICS,
    maxQueuedBytes: 1 << 22,
    maxRecordBytes: 1 << 20,
  });
  const codec = await openPaymentCodec(openLocalRegistry(`${folder}/schemas.json`));
  const book = await openPaymentBook({ log, codec, clock: systemClock, onError: unexpected });
  onTestFinished(async () => {
    await book.stop();
    await log.close();
  });
  return { log, book };
};
