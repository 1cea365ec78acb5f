import { EngineException } from './engine-exception.ts';

/** A bounded number of queries at a time and a bounded number that wait, in order of arrival. */
export class Slots {
  readonly name: string;
  readonly size: number;
  readonly waitingMax: number;
  #busy = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(name: string, size: number, waitingMax: number) {
    this.name = name;
    this.size = size;
    this.waitingMax = waitingMax;
  }

  get busy(): number {
    return this.#busy;
  }

  /** Resolves with the function that gives the slot back. Throws error 202 when too many wait already. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#busy < this.size) {
      this.#busy += 1;
    } else {
      await this.#wait(signal);
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.waitingMax) {
      throw new EngineException(
        202,
        'TOO_MANY_SIMULTANEOUS_QUERIES',
        `Too many simultaneous queries: ${this.#waiting.length} wait for the ${this.size} ${this.name} slots`,
      );
    }
    return new Promise((resolve, reject) => {
      const wake = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        const place = this.#waiting.indexOf(wake);
        if (place >= 0) this.#waiting.splice(place, 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(wake);
    });
  }

  #release(): void {
    const next = this.#waiting.shift();
    // The slot is handed over, not freed: a newcomer cannot overtake those who wait.
    if (next) next();
    else this.#busy -= 1;
  }
}
