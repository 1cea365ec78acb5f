import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { type Consumer, type EventLog, GroupHeldError } from '../../platform/event-log/event-log.ts';
import { PAYMENTS, RECONCILER } from '../book/payment-book.ts';
import { ENDED } from '../decider/evolve.ts';
import type { PaymentState } from '../decider/state.ts';
import type { PaymentLimits } from '../limits.ts';
import { type SettleDependencies, settlePayment } from './settle-payment.ts';

export type Reconciler = { stop(): Promise<void> };

export type ReconcilerOptions = SettleDependencies & {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly limits: Pick<PaymentLimits, 'settlingMs'>;
};

const ROUND_MS = 500;
const TAKE_OVER_MS = 30_000;
const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 60_000;
const COMMIT_EVERY_MS = 60_000;
const POLL = { maxBytes: 1 << 20, waitMs: ROUND_MS };

/**
 * Finishes what a crash or an unclear answer left open: work that died gives its payment back, a settlement whose
 * outcome nobody knows is asked after, longer apart each time, until the chain answers. Of all processes one does.
 */
export const startReconciler = (options: ReconcilerOptions): Reconciler => {
  const { log, book, clock, giveCredits, onError, limits } = options;
  const stopping = new AbortController();
  const given = new Set<string>();
  const tries = new Map<string, { readonly times: number; readonly nextUnixMs: number }>();

  const isDue = ({ key }: PaymentState): boolean => (tries.get(key)?.nextUnixMs ?? 0) <= clock.nowUnixMs();
  const askAgainLater = ({ key }: PaymentState): void => {
    const times = (tries.get(key)?.times ?? 0) + 1;
    const waitMs = Math.min(AGAIN_MS * 2 ** (times - 1), AGAIN_MS_MAX);
    tries.set(key, { times, nextUnixMs: clock.nowUnixMs() + waitMs });
  };

  const finish = async (payment: PaymentState): Promise<void> => {
    const { wallet, key, claim, status, statusUnixMs } = payment;
    const { claimId } = claim;
    const nowUnixMs = clock.nowUnixMs();
    if (status === 'claimed' || status === 'worked') {
      if (claim.deadlineUnixMs > nowUnixMs) return;
      await book.record(wallet, key, { type: 'PaymentReleased', claimId, reason: 'abandoned' });
    } else if (status === 'settling') {
      if (statusUnixMs + limits.settlingMs > nowUnixMs) return;
      // Its client was never answered: from here on the payment fetches the result.
      await book.record(wallet, key, { type: 'PaymentUnknown', claimId });
    } else if (status === 'settled' && claim.grant !== null && giveCredits && !given.has(key)) {
      // The process that settled it may have died before it gave them.
      await giveCredits(claim.grant, key);
      given.add(key);
    } else if (status === 'unknown' && isDue(payment)) {
      askAgainLater(payment);
      const { status: outcome } = await settlePayment(options, payment, { isFirst: false });
      if (outcome !== 'unknown') tries.delete(key);
    }
  };

  const isOpen = ({ key, status, claim }: PaymentState): boolean =>
    status === 'settled' ? claim.grant !== null && !given.has(key) : !ENDED.includes(status);
  let nextCommitUnixMs = 0;
  /** So that whoever starts later reads from there on. */
  const commitEnded = async (consumer: Consumer): Promise<void> => {
    const nowUnixMs = clock.nowUnixMs();
    if (nowUnixMs < nextCommitUnixMs) return;
    nextCommitUnixMs = nowUnixMs + COMMIT_EVERY_MS;
    for (const place of book.endedUntil(isOpen))
      await consumer.commit({ topic: PAYMENTS, ...place, metadata: '' });
  };

  const holdRound = async (consumer: Consumer): Promise<void> => {
    for (const payment of book.state.payments.values()) {
      if (stopping.signal.aborted) return;
      await finish(payment).catch(onError);
    }
    await commitEnded(consumer);
    // Shows that this one lives, hears that another took over, and wakes when something happens.
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
      // What the topic says is in the book already.
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
    },
  };
};
