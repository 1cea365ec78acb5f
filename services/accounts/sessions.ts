import { createHash, randomBytes } from 'node:crypto';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../platform/avro/tagged-codec.ts';
import type { Clock } from '../platform/clock.ts';
import { type EventLog, LogError } from '../platform/event-log/event-log.ts';
import { followTopic } from '../platform/event-log/follow-topic.ts';
import { CURRENT_WITHIN_MS } from './accounts.ts';
import type { ReadChallenge } from './sign-in-message.ts';
import { SESSION_MS, SignedIn } from './signed-in.ts';

/** The wallet that signed in and its account, which may not be open yet. */
export type SignedInWallet = { readonly accountId: string; readonly address: string };

/** `too_often`: the account reached its limit of sign-ins; nothing was written. */
export type Opened =
  | { readonly status: 'opened'; readonly token: string; readonly expiresUnixMs: number }
  | { readonly status: 'challenge_used' }
  | { readonly status: 'too_often' };

/** Sessions as every process on the log knows them. */
export type Sessions = {
  /** Only this answer contains the token. A challenge opens one session, whichever process takes it. */
  open(who: SignedInWallet, challenge: Pick<ReadChallenge, 'nonce' | 'issuedUnixMs'>): Promise<Opened>;
  /** The owner of the session; null if it is unknown or over. Throws `LogError` while that cannot be told. */
  find(token: string): SignedInWallet | null;
  end(token: string): Promise<void>;
  stop(): Promise<void>;
};

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

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
const keyOf = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

/** Resolves when all earlier sessions are known. */
export const startSessions = async (options: {
  log: EventLog;
  registry: SchemaRegistry;
  clock: Clock;
  onError: (error: unknown) => void;
}): Promise<Sessions> => {
  const { log, registry, clock, onError } = options;
  const codec = await openTaggedCodec<'event', SessionEntry>(registry, 'SessionEvent', 'event');
  const signedIn = new SignedIn();

  const apply = ({ accountId, event }: SessionEntry): void => {
    const hash = keyOf(event.hash);
    if (event.type === 'SessionEnded') signedIn.end(hash);
    else {
      const { nonce, expiresUnixMs } = event;
      signedIn.open(hash, nonce, { accountId, expiresUnixMs }, clock.nowUnixMs());
    }
  };
  const followed = await followTopic({
    log,
    topic: TOPIC,
    take: ({ value }) => apply(codec.decode(value)),
    currentWithinMs: CURRENT_WITHIN_MS,
    onError,
  });
  /** Resolves when the event is in the log and was read back: only its position decides whether it counts. */
  const record = async (accountId: string, event: SessionEvent): Promise<void> => {
    const value = codec.encode({ accountId, event });
    const [position] = await log.append([{ topic: TOPIC, key: accountId, value }]);
    if (position) await followed.untilRead(position);
  };
  const find: Sessions['find'] = (token) => {
    // Another process may have ended it.
    if (!followed.isFollowing()) throw new LogError('not_following', `topic ${TOPIC} is not followed`);
    const session = signedIn.find(keyOf(hashOf(token)), clock.nowUnixMs());
    return session && { accountId: session.accountId, address: token.slice(token.indexOf('.') + 1) };
  };

  return {
    open: async ({ accountId, address }, challenge) => {
      if (!signedIn.isUnused(challenge)) return { status: 'challenge_used' };
      if (!signedIn.mayOpen(accountId, clock.nowUnixMs())) return { status: 'too_often' };
      const { nonce, issuedUnixMs } = challenge;
      // The hash covers both, so the named wallet is the one that signed in.
      const token = `${randomBytes(TOKEN_BYTES).toString('base64url')}.${address}`;
      const expiresUnixMs = clock.nowUnixMs() + SESSION_MS;
      await record(accountId, { type: 'SessionOpened', hash: hashOf(token), nonce, expiresUnixMs });
      // Also refused if so many wallets signed in that this challenge may have been used and forgotten.
      return find(token) === null || signedIn.isTooOld(issuedUnixMs)
        ? { status: 'challenge_used' }
        : { status: 'opened', token, expiresUnixMs };
    },
    find,
    end: async (token) => {
      const found = find(token);
      if (found !== null) await record(found.accountId, { type: 'SessionEnded', hash: hashOf(token) });
    },
    stop: followed.stop,
  };
};
