import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { loginHeaders, splitLogin } from '../../../platform/login.ts';

export type HeadWatch = {
  /**
   * Resolves at the node's next word of the chain, or at one that came since the last call; after `waitMs` without one.
   * Throws the signal's reason.
   */
  moved(waitMs: number, signal: AbortSignal): Promise<void>;
};

export type ListenOptions = {
  readonly url: string;
  /** A connection that says nothing of the chain for so long is given up. */
  readonly silenceMs?: number;
  /** The first wait before coming back; it doubles as long as nothing is said of the chain. */
  readonly reconnectMs?: number;
};

export type Subscription = {
  /** Asks for it, on each connection anew. */
  readonly request: string;
  /** Whether this message is a word of the chain. `send` answers it. */
  hear(message: string, send: (answer: string) => void): boolean;
};

const RECONNECT_MS = { first: 1_000, longest: 60_000 };
/** Slots come every 400 ms: a connection that says nothing for so long is dead, whatever the socket thinks. */
const SILENCE_MS = 30_000;

/** Listens to a node's websocket until the signal aborts, and comes back after every end of the connection. */
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
  // Ends only with the signal; errors of the way there are answered by coming back.
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

/** One connection, to its end. Whether it said anything of the chain. */
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
      // Closed while it is being made, its socket would stay.
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
