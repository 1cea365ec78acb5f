/** The call that an id is bound to. */
export type BoundCall = {
  readonly callId: string;
  readonly requestHash: string;
  /** Without an answer the binding ends then, because the working process is gone. */
  readonly deadlineUnixMs: number;
  /** Where the answer is kept; null while the call runs. */
  readonly answer: string | null;
  /**
   * `given`: the answer was handed out and is charged for good. `withdrawn`: the call is being voided and nobody
   * hands it out. `open`: neither yet.
   */
  readonly fate: 'open' | 'given' | 'withdrawn';
};

export type IdempotencyEvent =
  | {
      readonly type: 'CallBound';
      readonly callId: string;
      readonly requestHash: string;
      readonly deadlineUnixMs: number;
    }
  | { readonly type: 'CallAnswered'; readonly callId: string; readonly answer: string }
  | { readonly type: 'CallReleased'; readonly callId: string }
  | { readonly type: 'AnswerGiven'; readonly callId: string }
  | { readonly type: 'CallWithdrawn'; readonly callId: string };

/** As long as an answer is kept, so that an id never outlives its answer. */
const BOUND_MS = 86_400_000;
/** Some 350 bytes each. The oldest are dropped first. */
const CALLS_MAX = 100_000;

type KnownCall = BoundCall & { readonly boundUnixMs: number };

/** Which call each id is bound to. The same events in the same order give the same result. */
export class BoundCalls {
  /** In the order of binding. */
  readonly #calls = new Map<string, KnownCall>();

  /** Whether the event counts: not if the id is bound to another call. */
  apply(id: string, event: IdempotencyEvent, atUnixMs: number): boolean {
    this.#forget(atUnixMs);
    const bound = this.#calls.get(id);
    if (event.type === 'CallBound') {
      if (bound && isHeld(bound, atUnixMs)) return false;
      const { type: _, ...call } = event;
      this.#calls.delete(id);
      this.#calls.set(id, { ...call, answer: null, fate: 'open', boundUnixMs: atUnixMs });
      return true;
    }
    if (bound?.callId !== event.callId) return false;
    if (event.type === 'CallAnswered') this.#calls.set(id, { ...bound, answer: event.answer });
    else if (bound.fate === 'given') return event.type === 'AnswerGiven';
    else if (event.type === 'CallReleased') this.#calls.delete(id);
    else if (event.type === 'CallWithdrawn') this.#calls.set(id, { ...bound, fate: 'withdrawn' });
    else if (bound.fate === 'withdrawn') return false;
    else this.#calls.set(id, { ...bound, fate: 'given' });
    return true;
  }

  /** null where the id is free. */
  find(id: string, nowUnixMs: number): BoundCall | null {
    const bound = this.#calls.get(id);
    return bound && isHeld(bound, nowUnixMs) ? bound : null;
  }

  #forget(nowUnixMs: number): void {
    for (const [id, { boundUnixMs }] of this.#calls) {
      if (boundUnixMs + BOUND_MS > nowUnixMs && this.#calls.size < CALLS_MAX) return;
      this.#calls.delete(id);
    }
  }
}

const isHeld = ({ answer, deadlineUnixMs, boundUnixMs }: KnownCall, nowUnixMs: number): boolean =>
  boundUnixMs + BOUND_MS > nowUnixMs && (answer !== null || deadlineUnixMs > nowUnixMs);
