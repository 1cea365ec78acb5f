import type { Random } from '../../demo-world/random.ts';
import type { Actor, VirtualTime } from './virtual-time.ts';

/** How long a client waits for an answer before it gives up. */
const GIVES_UP_MS = 2_000;
const USUAL_LATENCY_MS = 5;
const SLOW_LATENCY_MS = 1_500;

export type NetworkFault = 'cut' | 'deaf' | 'loss' | 'echo' | 'slow';

/**
 * What lies between a process and something it asks: each way takes its time, either way may be lost, and what arrives may
 * arrive twice. A request that has left is carried out even when its sender has died meanwhile; requests of one process
 * arrive in their order.
 */
export class Network {
  readonly random: Random;
  /** Nothing passes before. */
  #cutUntilMs = 0;
  /** Requests arrive, and no answer comes back before. */
  #deafUntilMs = 0;
  /** Each way takes up to so long. */
  #latencyMs = USUAL_LATENCY_MS;
  /** Chance of each message to be lost. */
  #loss = 0;
  /** Chance of each request to arrive twice. */
  #echo = 0;
  readonly #time: VirtualTime;
  readonly #actor: Actor;
  #lastArrivalMs = 0;
  /** Whether anything ever went wrong here. */
  hasSuffered = false;

  constructor(time: VirtualTime, actor: Actor, random: Random) {
    this.#time = time;
    this.#actor = actor;
    this.random = random;
  }

  /**
   * Resolves or rejects as the other side did; rejects with `unreachable()` when there was no answer. `isOnce`: whoever is
   * asked knows a request that comes again.
   */
  ask<T>(carryOut: () => T, unreachable: () => Error, { isOnce = false } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      // The dead hear nothing.
      if (!this.#actor.isAlive) return;
      const arrivalMs = Math.max(this.#lastArrivalMs, this.#time.nowMs + this.#delay());
      this.#lastArrivalMs = arrivalMs;
      const hear = (ms: number, what: () => void): void => void this.#time.after(ms, what, this.#actor);
      const giveUp = (): void => hear(GIVES_UP_MS, () => reject(unreachable()));
      const answer = (settle: () => void): void => {
        if (this.#isLost() || this.#deafUntilMs > this.#time.nowMs) giveUp();
        else hear(this.#delay(), settle);
      };
      const arrive = (): void => {
        if (this.#isCut()) {
          giveUp();
          return;
        }
        try {
          const value = carryOut();
          answer(() => resolve(value));
        } catch (error) {
          answer(() => reject(error));
        }
      };
      if (this.#isLost()) giveUp();
      // On its way it belongs to nobody.
      else this.#time.after(arrivalMs - this.#time.nowMs, arrive, null);
      if (!isOnce && this.random.chance(this.#echo)) this.#comeAgain(carryOut);
    });
  }

  /** Nobody hears what comes of it. */
  #comeAgain(carryOut: () => unknown): void {
    this.#lastArrivalMs += this.#delay();
    const arrive = (): void => {
      try {
        carryOut();
      } catch {
        // As it was the first time, perhaps.
      }
    };
    this.#time.after(this.#lastArrivalMs - this.#time.nowMs, arrive, null);
  }

  suffer(fault: NetworkFault, lastsMs: number): void {
    this.hasSuffered = true;
    if (fault === 'cut') this.#cutUntilMs = this.#time.nowMs + lastsMs;
    else if (fault === 'deaf') this.#deafUntilMs = this.#time.nowMs + lastsMs;
    else if (fault === 'loss') this.#loss = 0.2;
    else if (fault === 'echo') this.#echo = 0.3;
    else this.#latencyMs = SLOW_LATENCY_MS;
  }

  heal(): void {
    this.#cutUntilMs = 0;
    this.#deafUntilMs = 0;
    this.#latencyMs = USUAL_LATENCY_MS;
    this.#loss = 0;
    this.#echo = 0;
  }

  #delay(): number {
    return this.random.between(0, this.#latencyMs);
  }

  #isCut(): boolean {
    return this.#cutUntilMs > this.#time.nowMs;
  }

  #isLost(): boolean {
    return this.#isCut() || this.random.chance(this.#loss);
  }
}
