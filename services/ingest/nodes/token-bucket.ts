/** A rate that is learned: it grows while the node keeps up, and is halved when the node complains. */
export type TokenBucket = {
  /** Milliseconds until so many calls may be sent; 0: now. */
  waitMs(calls: number, nowMs: number): number;
  /** They are sent. More than a second's worth is paid off by those that come after. */
  spend(calls: number, nowMs: number): void;
  /** Somebody had to wait, so a faster rate would be used. */
  held(): void;
  limited(nowMs: number): void;
  /** The node says that only so many are left for now. */
  left(calls: number, nowMs: number): void;
  readonly perSecond: number;
};

const SLOWEST_PER_SECOND = 0.5;
const SECOND_MS = 1_000;
/** Until the node complains the rate doubles each clean second, and after that it grows by so many calls. */
const FIRST_GROWTH = 2;
const STEP_PER_SECOND = 1;

export const createTokenBucket = (firstPerSecond: number, mostPerSecond = Number.POSITIVE_INFINITY) => {
  let perSecond = Math.min(firstPerSecond, mostPerSecond);
  let tokens = Math.max(1, perSecond);
  let filledMs = Number.NEGATIVE_INFINITY;
  let isLearned = false;
  let wasHeld = false;
  let changedMs = Number.NEGATIVE_INFINITY;
  /** What was sent in this second and in the one before. */
  let sent = { sinceMs: Number.NEGATIVE_INFINITY, calls: 0, before: 0 };

  const turn = (nowMs: number): void => {
    if (nowMs - sent.sinceMs >= SECOND_MS)
      sent = { sinceMs: nowMs, calls: 0, before: nowMs - sent.sinceMs < 2 * SECOND_MS ? sent.calls : 0 };
    if (changedMs === Number.NEGATIVE_INFINITY) changedMs = nowMs;
    if (wasHeld && nowMs - changedMs >= SECOND_MS) {
      perSecond = Math.min(isLearned ? perSecond + STEP_PER_SECOND : perSecond * FIRST_GROWTH, mostPerSecond);
      changedMs = nowMs;
      wasHeld = false;
    }
    const size = Math.max(1, perSecond);
    const isFull = perSecond === Number.POSITIVE_INFINITY || filledMs === Number.NEGATIVE_INFINITY;
    tokens = isFull ? size : Math.min(size, tokens + (Math.max(0, nowMs - filledMs) / SECOND_MS) * perSecond);
    filledMs = nowMs;
  };

  return {
    waitMs: (calls, nowMs) => {
      turn(nowMs);
      if (perSecond === Number.POSITIVE_INFINITY) return 0;
      const missing = Math.min(calls, Math.max(1, perSecond)) - tokens;
      return missing <= 0 ? 0 : Math.ceil((missing / perSecond) * SECOND_MS);
    },
    spend: (calls, nowMs) => {
      turn(nowMs);
      tokens -= calls;
      sent.calls += calls;
    },
    held: () => {
      wasHeld = true;
    },
    limited: (nowMs) => {
      turn(nowMs);
      wasHeld = false;
      tokens = Math.min(tokens, 0);
      // Requests that were under way together fail together, and count once.
      if (isLearned && nowMs - changedMs < SECOND_MS) return;
      const reached = Math.min(perSecond, Math.max(sent.calls, sent.before));
      perSecond = Math.max(SLOWEST_PER_SECOND, reached / 2);
      tokens = Math.min(tokens, 0);
      isLearned = true;
      changedMs = nowMs;
    },
    left: (calls, nowMs) => {
      turn(nowMs);
      tokens = Math.min(tokens, calls);
    },
    get perSecond() {
      return perSecond;
    },
  } satisfies TokenBucket;
};
