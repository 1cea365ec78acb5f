import { BoundCalls, type IdempotencyEvent } from '../../accounts/bound-calls.ts';
import type { Idempotency } from '../../api/paid/bind-call.ts';

/** Idempotency-Keys of processes on one log, which is at hand at once. */
export const createMemoryIdempotency = (nowUnixMs: number): Idempotency => {
  const calls = new BoundCalls();
  const kept: unknown[] = [];
  const apply = async (id: string, event: IdempotencyEvent) => calls.apply(id, event, nowUnixMs);
  return {
    keys: {
      find: (id) => calls.find(id, nowUnixMs),
      bind: (id, call) => apply(id, { type: 'CallBound', ...call }),
      answer: (id, callId, answer) => apply(id, { type: 'CallAnswered', callId, answer }),
      give: (id, callId) => apply(id, { type: 'AnswerGiven', callId }),
      withdraw: (id, callId) => apply(id, { type: 'CallWithdrawn', callId }),
      release: async (id, callId) => void (await apply(id, { type: 'CallReleased', callId })),
    },
    answers: {
      keep: async (_, answer) => String(kept.push(answer) - 1),
      fetch: async (place) => kept[Number(place)] ?? null,
    },
  };
};
