import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { loginHeaders, splitLogin } from '../../../platform/login.ts';

export type HeadWatch = {
  /**
   * Resolves at the node's next notification, or at one since the last call; after `waitMs` without one. Throws
   * the signal's reason.
   */
  moved(waitMs: number, signal: AbortSignal): Promise<void>;
};

export type ListenOptions = {
  readonly url: string;
  /** A connection without notifications for this long is closed. */
  readonly silenceMs?: number;
  /** The first pause before reconnecting; it doubles until there is a notification. */
  readonly reconnectMs?: number;
};

export type Subscription = {
  /** Subscribes, on each connection anew. */
  readonly request: string;
  /** Whether this message is a notification. `send` answers it. */
  hear(message: string, send: (answer: string) => void): boolean;
};

const RECONNECT_MS = { first: 1_000, longest: 60_000 };
/** Slots come every 400 ms: a silent connection is dead, whatever the socket reports. */
const SILENCE_MS = 30_000;

/** Listens to a node's websocket until the signal aborts, and reconnects after every end. */
export const keepListening = (
  { url, silenceMs = SILENCE_MS, reconnectMs = RECONNECT_MS.first }: ListenOptions,
  subscription: Subscription,
  signal: AbortSignal,
): HeadWatch => {
  const words = new EventEmitter().setMaxListeners(0);
  let heard = false;
  const onWord = (): void => {
    heard = true;
    words.emit('word');
  };
  // Ends only with the signal; connection errors lead to a reconnection.
  void comeBack({ url, silenceMs, reconnectMs, subscription, onWord }, signal).catch(() => {});
  return {
    moved: async (waitMs, callSignal) => {
      if (!heard) {
        const waiting = AbortSignal.any([callSignal, AbortSignal.timeout(waitMs)]);
        await once(words, 'word', { signal: waiting }).catch(() => callSignal.throwIfAborted());
      }
      heard = false;
    },
  };
};

type Listening = Required<ListenOptions> & {
  readonly subscription: Subscription;
  readonly onWord: () => void;
};

const comeBack = async (listening: Listening, signal: AbortSignal): Promise<never> => {
  const { reconnectMs } = listening;
  for (let waitMs = reconnectMs; ; waitMs = Math.min(waitMs * 2, RECONNECT_MS.longest)) {
    signal.throwIfAborted();
    if (await listen(listening, signal)) waitMs = reconnectMs;
    await sleep(waitMs, undefined, { signal });
  }
};

/** One connection, to its end. Returns whether it had notifications. */
const listen = ({ url, silenceMs, subscription, onWord }: Listening, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const { url: address, login } = splitLogin(url);
    const socket = new WebSocket(address, { headers: loginHeaders(login) });
    let told = false;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
      // If it is closed while connecting, its socket would stay.
      if (socket.readyState !== WebSocket.CONNECTING) socket.close();
      resolve(told);
    };
    const silence = setTimeout(end, silenceMs);
    signal.addEventListener('abort', end, { once: true });
    socket.addEventListener('open', () => (isOver ? socket.close() : socket.send(subscription.request)));
    socket.addEventListener('message', ({ data }) => {
      if (!subscription.hear(String(data), (answer) => socket.send(answer))) return;
      told = true;
      silence.refresh();
      onWord();
    });
    socket.addEventListener('error', end);
    socket.addEventListener('close', end);
  });
