import { EventEmitter, once } from 'node:events';

/** Bounds the bytes of answers that are on their way at once, over all chains that share it. */
export type AnswerBudget = {
  /**
   * Runs a request when there is room for its answer; `received` is told of each piece that arrives. `kind` groups
   * requests with answers of like size: what one of them came to is set aside for the next. A request larger than the
   * whole budget runs alone. Throws the signal's reason while it waits.
   */
  run<T>(
    kind: string,
    signal: AbortSignal,
    request: (received: (bytes: number) => void) => Promise<T>,
  ): Promise<T>;
};

// Before the first answer of a kind: a full block of Solana is 5 to 10 MB.
const FIRST_GUESS_BYTES = 4 << 20;
/** Large answers are forgotten slowly, so that one small block between them opens no door. */
const FADE = 0.9;

export const createAnswerBudget = (bytesMax: number): AnswerBudget => {
  const expected = new Map<string, number>();
  const room = new EventEmitter().setMaxListeners(0);
  let inFlightBytes = 0;

  const hasRoom = (bytes: number): boolean => inFlightBytes === 0 || inFlightBytes + bytes <= bytesMax;
  const release = (bytes: number): void => {
    inFlightBytes -= bytes;
    room.emit('released');
  };
  // First come, first served: else a large request would wait for ever, since small ones always find room before it.
  const queue = new Set<object>();
  const reserve = async (bytes: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    const place = {};
    queue.add(place);
    try {
      while (queue.values().next().value !== place || !hasRoom(bytes))
        await once(room, 'released', { signal });
      inFlightBytes += bytes;
    } finally {
      queue.delete(place);
      room.emit('released');
    }
  };

  return {
    run: async (kind, signal, request) => {
      const guess = Math.min(expected.get(kind) ?? FIRST_GUESS_BYTES, bytesMax);
      await reserve(guess, signal);
      let receivedBytes = 0;
      let heldBytes = guess;
      try {
        const answer = await request((bytes) => {
          receivedBytes += bytes;
          const beyond = Math.max(0, receivedBytes - heldBytes);
          heldBytes += beyond;
          inFlightBytes += beyond;
        });
        expected.set(kind, Math.max(receivedBytes, Math.floor(guess * FADE)));
        return answer;
      } finally {
        release(heldBytes);
      }
    },
  };
};

export const UNBOUNDED: AnswerBudget = { run: (_kind, _signal, request) => request(() => {}) };
