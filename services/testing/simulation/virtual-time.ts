import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

/** Something that can die: from then on no timer of what runs in it fires, and nobody answers what it asked for. */
export type Actor = {
  readonly name: string;
  isAlive: boolean;
  /** It sleeps until then, as a process does whose machine is busy or suspended: its timers fire late. */
  asleepUntilMs: number;
};

export type Timer = {
  atMs: number;
  readonly actor: Actor | null;
  fire(): void;
  isCancelled: boolean;
};

type TimerId = Parameters<typeof clearTimeout>[0];

type SleepOptions = { readonly signal?: AbortSignal | undefined };

// As it was before any clock was replaced.
const immediately = globalThis.setImmediate;
/** Whose code runs. */
const actors = new AsyncLocalStorage<Actor>();

/**
 * A clock that moves only when nothing else is left to do, from one timer to the next, in the same order every time.
 * While it is installed the timers of the whole process are its own, so that code runs on it as it is.
 */
export class VirtualTime {
  nowMs: number;
  // Sorted by time; equal times in the order they were asked for.
  readonly #timers: Timer[] = [];

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Whatever `action` starts belongs to the actor. */
  runAs<T>(actor: Actor, action: () => T): T {
    return actors.run(actor, action);
  }

  /** For whoever asks, unless another is named; `null` for nobody, whose timers fire in any case. */
  after(ms: number, fire: () => void, actor: Actor | null = actors.getStore() ?? null): Timer {
    const timer = { atMs: this.nowMs + Math.max(0, ms), actor, fire, isCancelled: false };
    this.#insert(timer);
    return timer;
  }

  sleep(ms: number, { signal }: SleepOptions = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        timer.isCancelled = true;
        reject(signal?.reason);
      };
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Moves on until the promise settles. Throws when nothing is left that could settle it. */
  async drive<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      // All that can go on without time passing.
      await new Promise((resolve) => immediately(resolve));
      if (isSettled) return promise;
      const timer = this.#next();
      this.nowMs = timer.atMs;
      if (timer.actor) actors.run(timer.actor, timer.fire);
      else timer.fire();
    }
  }

  /** Replaces the process's timers, and its random ids by counted ones, until the returned function is called. */
  install(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const timeoutSignal = AbortSignal.timeout;
    const sleep = timersPromises.setTimeout;
    const { randomUUID } = crypto;
    let ids = 0;
    Object.assign(globalThis, {
      setTimeout: (fire: () => void, ms = 0) => handleOf(this.after(ms, fire)),
      setInterval: (fire: () => void, ms: number) => this.#every(ms, fire),
      clearTimeout: (handle: unknown) =>
        isOfVirtualTime(handle) ? cancel(handle) : clearTimeout(handle as TimerId),
      clearInterval: (handle: unknown) =>
        isOfVirtualTime(handle) ? cancel(handle) : clearInterval(handle as TimerId),
    });
    AbortSignal.timeout = (ms) => this.#abortAfter(ms);
    timersPromises.setTimeout = async <T>(ms = 0, value?: T, options = {}) => {
      await this.sleep(ms, options);
      return value as T;
    };
    crypto.randomUUID = () => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`;
    syncBuiltinESMExports();
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
      AbortSignal.timeout = timeoutSignal;
      timersPromises.setTimeout = sleep;
      crypto.randomUUID = randomUUID;
      syncBuiltinESMExports();
    };
  }

  /** The next timer of whoever is alive and awake. */
  #next(): Timer {
    for (;;) {
      const timer = this.#timers.shift();
      if (timer === undefined) throw new Error('nothing is left to wait for');
      if (timer.isCancelled || timer.actor?.isAlive === false) continue;
      if ((timer.actor?.asleepUntilMs ?? 0) <= timer.atMs) return timer;
      timer.atMs = timer.actor?.asleepUntilMs ?? 0;
      this.#insert(timer);
    }
  }

  #insert(timer: Timer): void {
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#timers[middle]?.atMs ?? 0) <= timer.atMs) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
  }

  #every(ms: number, fire: () => void): Handle {
    const handle = handleOf(this.after(ms, tick));
    const every = this;
    function tick(): void {
      fire();
      if (!handle.timer.isCancelled) handle.timer = every.after(ms, tick);
    }
    return handle;
  }

  #abortAfter(ms: number): AbortSignal {
    const controller = new AbortController();
    this.after(ms, () => controller.abort(new DOMException('timed out', 'TimeoutError')));
    return controller.signal;
  }
}

type Handle = { timer: Timer; ref(): Handle; unref(): Handle };

const handleOf = (timer: Timer): Handle => {
  const handle: Handle = { timer, ref: () => handle, unref: () => handle };
  return handle;
};

/** What else in the process was waiting before the clock was replaced, such as a closing socket, keeps timers of its own. */
const isOfVirtualTime = (handle: unknown): handle is Handle =>
  typeof handle === 'object' && handle !== null && 'timer' in handle;

const cancel = (handle: Handle): void => {
  handle.timer.isCancelled = true;
};
