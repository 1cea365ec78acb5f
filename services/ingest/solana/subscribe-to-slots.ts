import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export type SlotSubscription = {
  /**
   * Resolves at the node's next word of a slot, or of one that came since the last call; after `waitMs` without one.
   * Throws the signal's reason.
   */
  moved(waitMs: number, signal: AbortSignal): Promise<void>;
};

export type SlotOptions = {
  readonly url: string;
  /** A connection that tells of no slot for so long is given up. */
  readonly silenceMs?: number;
  /** The first wait before coming back; it doubles as long as no slot is told of. */
  readonly reconnectMs?: number;
};

const RECONNECT_MS = { first: 1_000, longest: 60_000 };
/** Slots come every 400 ms: a connection that says nothing for so long is dead, whatever the socket thinks. */
const SILENCE_MS = 30_000;
const SUBSCRIBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe' });

/**
 * Listens to `slotSubscribe` until the signal aborts, and comes back after every end of the connection. A node that
 * does not offer it costs nothing but the wait: the head is then asked for every `waitMs`.
 */
export const subscribeToSlots = (
  { url, silenceMs = SILENCE_MS, reconnectMs = RECONNECT_MS.first }: SlotOptions,
  signal: AbortSignal,
): SlotSubscription => {
  const slots = new EventEmitter().setMaxListeners(0);
  let heard = false;
  const onSlot = (): void => {
    heard = true;
    slots.emit('slot');
  };
  // Ends only with the signal; errors of the way there are answered by coming back.
  void keepListening({ url, silenceMs, reconnectMs, onSlot }, signal).catch(() => {});
  return {
    moved: async (waitMs, callSignal) => {
      if (!heard) {
        const waiting = AbortSignal.any([callSignal, AbortSignal.timeout(waitMs)]);
        await once(slots, 'slot', { signal: waiting }).catch(() => callSignal.throwIfAborted());
      }
      heard = false;
    },
  };
};

type Listening = Required<SlotOptions> & { readonly onSlot: () => void };

const keepListening = async (listening: Listening, signal: AbortSignal): Promise<never> => {
  const { reconnectMs } = listening;
  for (let waitMs = reconnectMs; ; waitMs = Math.min(waitMs * 2, RECONNECT_MS.longest)) {
    signal.throwIfAborted();
    if (await listen(listening, signal)) waitMs = reconnectMs;
    await sleep(waitMs, undefined, { signal });
  }
};

/** One connection, to its end. Whether it told of any slot. */
const listen = ({ url, silenceMs, onSlot }: Listening, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url);
    let told = false;
    const end = (): void => {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
      socket.close();
      resolve(told);
    };
    const silence = setTimeout(end, silenceMs);
    signal.addEventListener('abort', end, { once: true });
    socket.addEventListener('open', () => socket.send(SUBSCRIBE));
    socket.addEventListener('message', ({ data }) => {
      if (!isSlot(data)) return;
      told = true;
      silence.refresh();
      onSlot();
    });
    socket.addEventListener('error', end);
    socket.addEventListener('close', end);
  });

const isSlot = (data: unknown): boolean => {
  try {
    return (JSON.parse(String(data)) as { method?: unknown } | null)?.method === 'slotNotification';
  } catch {
    return false;
  }
};
