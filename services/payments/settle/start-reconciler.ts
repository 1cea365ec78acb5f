import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumer, type EventLog, GroupHeldError } from '../../platform/event-log/event-log.ts';
import { PAYMENTS, RECONCILER } from '../book/payment-book.ts';
import { createFinisher, type FinisherOptions } from './finish-payments.ts';

type Reconciler = { stop(): Promise<void> };

type ReconcilerOptions = Omit<FinisherOptions, 'signal'> & { readonly log: EventLog };

const ROUND_MS = 500;
const TAKE_OVER_MS = 30_000;
const COMMIT_EVERY_MS = 60_000;
const POLL = { maxBytes: 1 << 20, waitMs: ROUND_MS };

/**
 * Finishes what a crash or an unclear answer left open. It gives back payments whose work died, and asks the chain
 * about unknown settlements at growing intervals. One process does this for all.
 */
export const startReconciler = (options: ReconcilerOptions): Reconciler => {
  const { log, book, clock, onError } = options;
  const stopping = new AbortController();
  const finisher = createFinisher({ ...options, signal: stopping.signal });

  let nextCommitUnixMs = 0;
  /** Later starts read from this offset on. */
  const commitEnded = async (consumer: Consumer): Promise<void> => {
    const nowUnixMs = clock.nowUnixMs();
    if (nowUnixMs < nextCommitUnixMs) return;
    nextCommitUnixMs = nowUnixMs + COMMIT_EVERY_MS;
    for (const place of book.endedUntil(finisher.isOpen))
      await consumer.commit({ topic: PAYMENTS, ...place, metadata: '' });
  };

  const holdRound = async (consumer: Consumer): Promise<void> => {
    await finisher.finish(book.state.payments.values());
    if (stopping.signal.aborted) return;
    await commitEnded(consumer);
    // Proves that this process lives, notices when another took over, and wakes on events.
    await consumer.poll(POLL);
  };

  const serveOnce = async (): Promise<void> => {
    const { signal } = stopping;
    const consumer = await log.consume({
      group: RECONCILER,
      topics: [PAYMENTS],
      waitMs: TAKE_OVER_MS,
      signal,
    });
    try {
      // The topic's content is in the book already.
      for (const { partition, end } of await log.ranges(PAYMENTS))
        consumer.seek({ topic: PAYMENTS, partition, offset: end });
      while (!signal.aborted) await holdRound(consumer);
    } finally {
      await consumer.close();
    }
  };

  const serve = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await serveOnce();
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!(error instanceof GroupHeldError)) onError(error);
        await sleep(ROUND_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  };
  const served = serve();
  return {
    stop: async () => {
      stopping.abort(new Error('the reconciler is stopping'));
      await served;
      await finisher.ended();
    },
  };
};
