import type { Clock } from '../../platform/clock.ts';
import type { EventLog, PartitionRange, Position } from '../../platform/event-log/event-log.ts';
import { followJudgedTopic } from '../../platform/event-log/judged-topic.ts';
import type { PaymentEntry } from '../decider/events.ts';
import { evolve, forget } from '../decider/evolve.ts';
import type { Verdict } from '../decider/judge.ts';
import { initialState, type PaymentState, type PaymentsState } from '../decider/state.ts';
import type { PaymentCodec } from './payment-codec.ts';

/** Payments as this process knows them from the log. */
export type PaymentBook = {
  readonly state: PaymentsState;
  /** Whether the log is followed at the moment. */
  isFollowing(): boolean;
  /**
   * Appends events of one payment, all or none. Resolves to the verdict on the last one when they are durable and
   * were read back. Throws `PaymentsUnavailableError`; the events may be in the log then. Nothing is claimed while
   * the log is not followed.
   */
  record(wallet: PaymentEntry['wallet'], key: string, ...events: PaymentEntry['event'][]): Promise<Verdict>;
  /** For each partition: no open payment has a record before this offset. */
  endedUntil(isOpen: (payment: PaymentState) => boolean): Pick<Position, 'partition' | 'offset'>[];
  stop(): Promise<void>;
};

/** The log or the facilitator is out of reach. */
export class PaymentsUnavailableError extends Error {
  readonly code = 'payments_unavailable';
  constructor(what: string, options?: ErrorOptions) {
    super(`payments cannot be taken: ${what}`, options);
    this.name = 'PaymentsUnavailableError';
  }
}

export const PAYMENTS = 'payments';
/** The consumer group of the reconciler. It commits `endedUntil`. */
export const RECONCILER = 'payments.reconciler';
const FORGET_EVERY_MS = 60_000;
const LOOK_BACK_MS = 7 * 86_400_000;

type BookOptions = {
  readonly log: EventLog;
  readonly codec: PaymentCodec;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
};

/** The first record of a partition that is not older than this time. */
const findOffset = async (
  log: EventLog,
  { partition, begin, end }: PartitionRange,
  sinceUnixMs: number,
): Promise<number> => {
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [record] = await log.read({ topic: PAYMENTS, partition, offset: middle, until: end, maxBytes: 1 });
    if (record !== undefined && record.timeUnixMs < sinceUnixMs) low = record.offset + 1;
    else high = middle;
  }
  return low;
};

/** Resolves when the book holds everything in the topic. */
export const openPaymentBook = async ({ log, codec, clock, onError }: BookOptions): Promise<PaymentBook> => {
  const state = initialState();
  /** The offset of each payment's claim, and how far each partition is read. */
  const claims = new Map<string, Position>();
  const read = new Map<number, number>();
  const ended = new Map((await log.commits(RECONCILER)).map((each) => [each.partition, each.offset]));
  const followed = await followJudgedTopic({
    log,
    topic: PAYMENTS,
    // Old, ended payments are not read again at every start.
    startAt: async (range) =>
      Math.min(
        await findOffset(log, range, clock.nowUnixMs() - LOOK_BACK_MS),
        ended.get(range.partition) ?? range.begin,
      ),
    take: (record) => {
      const entry = codec.decode(record.value);
      const verdict = evolve(state, entry);
      if (verdict.counts && entry.event.type === 'PaymentClaimed')
        claims.set(entry.key, { topic: PAYMENTS, partition: record.partition, offset: record.offset });
      read.set(record.partition, record.offset + 1);
      return verdict;
    },
    onError,
  });

  const record: PaymentBook['record'] = async (wallet, key, ...events) => {
    if (!followed.isFollowing() && events.some(({ type }) => type === 'PaymentClaimed'))
      throw new PaymentsUnavailableError('the event log is not followed');
    const atUnixMs = clock.nowUnixMs();
    const values = events.map((event) => codec.encode({ wallet, key, atUnixMs, event }));
    try {
      return await followed.write(values.map((value) => ({ topic: PAYMENTS, key: wallet, value })));
    } catch (cause) {
      throw new PaymentsUnavailableError('the event log', { cause });
    }
  };

  const forgetOld = (): void => {
    forget(state, clock.nowUnixMs());
    for (const key of claims.keys()) if (!state.payments.has(key)) claims.delete(key);
  };
  const forgetting = setInterval(forgetOld, FORGET_EVERY_MS).unref();
  return {
    state,
    isFollowing: followed.isFollowing,
    record,
    endedUntil: (isOpen) => {
      const until = new Map(read);
      for (const [key, { partition, offset }] of claims) {
        const payment = state.payments.get(key);
        if (payment && isOpen(payment))
          until.set(partition, Math.min(offset, until.get(partition) ?? offset));
      }
      return [...until].map(([partition, offset]) => ({ partition, offset }));
    },
    stop: async () => {
      clearInterval(forgetting);
      await followed.stop();
    },
  };
};
