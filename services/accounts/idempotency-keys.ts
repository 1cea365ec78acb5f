import { createHash } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { type EventLog, LogError } from '../platform/event-log/event-log.ts';
import { followJudgedTopic } from '../platform/event-log/judged-topic.ts';
import { type BoundCall, BoundCalls, type IdempotencyEvent } from './bound-calls.ts';
import type { IdempotencyCodec } from './idempotency-codec.ts';

/**
 * Which call each Idempotency-Key of an account is bound to. All processes on the log agree: the first record
 * counts. Writing throws `LogError` when the log is out of reach; the event may be in it then.
 */
export type IdempotencyKeys = {
  /** null where the key is free. */
  find(id: string): BoundCall | null;
  /** Whether the key is bound to this call now; false if another call was first. */
  bind(id: string, call: Omit<BoundCall, 'answer' | 'fate'>): Promise<boolean>;
  /** Resolves when durable; false if the key is bound to another call by then. */
  answer(id: string, callId: string, place: string): Promise<boolean>;
  /** Releases the key of a call that was not charged. */
  release(id: string, callId: string): Promise<void>;
  /** The answer may be handed out, and its charge stands. False if `withdraw` was first. */
  give(id: string, callId: string): Promise<boolean>;
  /** The charge may be taken back. False if `give` was first. */
  withdraw(id: string, callId: string): Promise<boolean>;
  stop(): Promise<void>;
};

const TOPIC = 'idempotency-keys';

/** Combines account and `key`, so that accounts never collide. */
export const idOf = (accountId: string, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([accountId, key]))
    .digest('base64url');

/** Resolves when all keys used before are known. */
export const startIdempotencyKeys = async (options: {
  log: EventLog;
  codec: IdempotencyCodec;
  clock: Clock;
  onError: (error: unknown) => void;
}): Promise<IdempotencyKeys> => {
  const { log, codec, clock, onError } = options;
  const calls = new BoundCalls();
  const followed = await followJudgedTopic({
    log,
    topic: TOPIC,
    take: ({ value }) => {
      const { id, atUnixMs, event } = codec.decode(value);
      return calls.apply(id, event, atUnixMs);
    },
    onError,
  });
  const record = async (id: string, event: IdempotencyEvent): Promise<boolean> => {
    // It would miss bindings that others make meanwhile.
    if (!followed.isFollowing()) throw new LogError('not_following', `topic ${TOPIC} is not followed`);
    const value = codec.encode({ id, atUnixMs: clock.nowUnixMs(), event });
    return followed.write([{ topic: TOPIC, key: id, value }]);
  };

  return {
    find: (id) => calls.find(id, clock.nowUnixMs()),
    bind: (id, call) => record(id, { type: 'CallBound', ...call }),
    answer: (id, callId, answer) => record(id, { type: 'CallAnswered', callId, answer }),
    release: async (id, callId) => {
      await record(id, { type: 'CallReleased', callId });
    },
    give: (id, callId) => record(id, { type: 'AnswerGiven', callId }),
    withdraw: (id, callId) => record(id, { type: 'CallWithdrawn', callId }),
    stop: followed.stop,
  };
};
