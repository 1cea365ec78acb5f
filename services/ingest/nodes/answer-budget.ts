import { EventEmitter, once } from 'node:events';

/** Bounds the bytes of pending answers, over all chains that share it. */
export type AnswerBudget = {
  /**
   * Runs a request when there is room for its answer; call `received` for each piece. `kind` groups requests of
   * similar size: the last size is reserved for the next one. A request above the whole budget runs alone. Throws
   * the signal's reason while it waits.
   */
  run<T>(
    kind: string,
    signal: AbortSignal,
    request: (received: (bytes: number) => void) => Promise<T>,
  ): Promise<T>;
};

// Before the first answer of a kind: a full Solana block is 5 to 10 MB.
const FIRST_GUESS_BYTES = 4 << 20;
/** Large sizes are forgotten slowly, so that one small block does not admit too many. */
const FADE = 0.9;

export const createAnswerBudget = (bytesMax: number): AnswerBudget => {
  const expected = new Map<string, number>();
  const room = new Room(bytesMax);
  return {
    run: async (kind, signal, request) => {
      const guess = Math.min(expected.get(kind) ?? FIRST_GUESS_BYTES, bytesMax);
      await room.take(guess, signal);
      let receivedBytes = 0;
      let heldBytes = guess;
      try {
        const answer = await request((bytes) => {
          receivedBytes += bytes;
          const beyond = Math.max(0, receivedBytes - heldBytes);
          heldBytes += beyond;
          room.usedBytes += beyond;
        });
        expected.set(kind, Math.max(receivedBytes, Math.floor(guess * FADE)));
        return answer;
      } finally {
        room.giveBack(heldBytes);
      }
    },
  };
};

/** First come, first served: otherwise small requests would starve a large one. */
class Room {
  usedBytes = 0;
  readonly #bytesMax: number;
  readonly #queue = new Set<object>();
  readonly #changes = new EventEmitter().setMaxListeners(0);

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  async take(bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const place = {};
    const isNext = (): boolean => this.#queue.values().next().value === place;
    this.#queue.add(place);
    try {
      while (!isNext() || !this.#has(bytes)) await once(this.#changes, 'change', { signal });
      this.usedBytes += bytes;
    } finally {
      this.#queue.delete(place);
      this.#changes.emit('change');
    }
  }

  giveBack(bytes: number): void {
    this.usedBytes -= bytes;
    this.#changes.emit('change');
  }

  #has(bytes: number): boolean {
    return this.usedBytes === 0 || this.usedBytes + bytes <= this.#bytesMax;
  }
}

export const UNBOUNDED: AnswerBudget = { run: (_kind, _signal, request) => request(() => {}) };
