import type { Clock } from '../platform/clock.ts';

/** Asks at most once per interval and never twice at once, so that frequent requests cost nothing more. */
export const keepFresh = <T>(ask: () => Promise<T>, clock: Clock, freshMs: number): (() => Promise<T>) => {
  let last: { readonly askedUnixMs: number; readonly answer: Promise<T> } | null = null;
  let isAsking = false;
  return () => {
    const nowUnixMs = clock.nowUnixMs();
    const ageMs = last === null ? freshMs : nowUnixMs - last.askedUnixMs;
    if (last !== null && (isAsking || (ageMs >= 0 && ageMs < freshMs))) return last.answer;
    isAsking = true;
    const answer = ask().finally(() => {
      isAsking = false;
    });
    last = { askedUnixMs: nowUnixMs, answer };
    return answer;
  };
};
