import { createHash, randomBytes } from 'node:crypto';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../platform/avro/tagged-codec.ts';
import type { Clock } from '../platform/clock.ts';
import { type EventLog, LogError } from '../platform/event-log/event-log.ts';
import { followTopic } from '../platform/event-log/follow-topic.ts';
import { CURRENT_WITHIN_MS } from './accounts.ts';

/** The wallet that signed in, and its account, which may not be open yet. */
export type SignedIn = { readonly accountId: string; readonly address: string };

/** Who is signed in, as every process on the log knows it. */
export type Sessions = {
  /** The token is in the answer and nowhere else; null where the nonce was used before, by whichever process. */
  open(who: SignedIn, nonce: string): Promise<{ token: string; expiresUnixMs: number } | null>;
  /** Whose session it is; null where it is none, or over. Throws `LogError` while that cannot be told. */
  find(token: string): SignedIn | null;
  end(token: string): Promise<void>;
  stop(): Promise<void>;
};

export const SESSION_MS = 12 * 3_600_000;

const TOPIC = 'sessions';
const TOKEN_BYTES = 32;

type SessionEvent =
  | {
      readonly type: 'SessionOpened';
      readonly hash: Uint8Array;
      readonly nonce: string;
      readonly expiresUnixMs: number;
    }
  | { readonly type: 'SessionEnded'; readonly hash: Uint8Array };
type SessionEntry = { readonly accountId: string; readonly event: SessionEvent };
type Session = { readonly accountId: string; readonly expiresUnixMs: number };

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
const keyOf = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

/** Resolves when all sessions are known that were opened before. */
export const startSessions = async (options: {
  log: EventLog;
  registry: SchemaRegistry;
  clock: Clock;
  onError: (error: unknown) => void;
}): Promise<Sessions> => {
  const { log, registry, clock, onError } = options;
  const codec = await openTaggedCodec<'event', SessionEntry>(registry, 'SessionEvent', 'event');
  // Both in the order of their expiry, since all last equally long.
  const sessions = new Map<string, Session>();
  const nonces = new Map<string, number>();

  const forgetExpired = (): void => {
    const nowUnixMs = clock.nowUnixMs();
    for (const [key, { expiresUnixMs }] of sessions) {
      if (expiresUnixMs > nowUnixMs) break;
      sessions.delete(key);
    }
    for (const [nonce, expiresUnixMs] of nonces) {
      if (expiresUnixMs > nowUnixMs) break;
      nonces.delete(nonce);
    }
  };
  const apply = ({ accountId, event }: SessionEntry): void => {
    forgetExpired();
    if (event.type === 'SessionEnded') sessions.delete(keyOf(event.hash));
    else if (!nonces.has(event.nonce)) {
      const { hash, nonce, expiresUnixMs } = event;
      nonces.set(nonce, expiresUnixMs);
      sessions.set(keyOf(hash), { accountId, expiresUnixMs });
    }
  };
  const followed = await followTopic({
    log,
    topic: TOPIC,
    take: ({ value }) => apply(codec.decode(value)),
    currentWithinMs: CURRENT_WITHIN_MS,
    onError,
  });
  /** Resolves when it is in the log and was read back: only its place there says what it is worth. */
  const record = async (accountId: string, event: SessionEvent): Promise<void> => {
    const value = codec.encode({ accountId, event });
    const [position] = await log.append([{ topic: TOPIC, key: accountId, value }]);
    if (position) await followed.untilRead(position);
  };
  const find: Sessions['find'] = (token) => {
    // It may have ended elsewhere.
    if (!followed.isFollowing()) throw new LogError('not_following', `topic ${TOPIC} is not followed`);
    const session = sessions.get(keyOf(hashOf(token)));
    if (!session || session.expiresUnixMs <= clock.nowUnixMs()) return null;
    return { accountId: session.accountId, address: token.slice(token.indexOf('.') + 1) };
  };

  return {
    open: async ({ accountId, address }, nonce) => {
      if (nonces.has(nonce)) return null;
      // Its hash covers both, so that the wallet it names is the one that signed in.
      const token = `${randomBytes(TOKEN_BYTES).toString('base64url')}.${address}`;
      const expiresUnixMs = clock.nowUnixMs() + SESSION_MS;
      await record(accountId, { type: 'SessionOpened', hash: hashOf(token), nonce, expiresUnixMs });
      return find(token) === null ? null : { token, expiresUnixMs };
    },
    find,
    end: async (token) => {
      const found = find(token);
      if (found !== null) await record(found.accountId, { type: 'SessionEnded', hash: hashOf(token) });
    },
    stop: followed.stop,
  };
};
