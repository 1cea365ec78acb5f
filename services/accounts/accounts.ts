import { randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { type FollowedTopic, followTopic } from '../platform/event-log/follow-topic.ts';
import type { AccountCodec, AccountEvent } from './account-codec.ts';
import { Directory } from './directory.ts';
import { createKey, hashKey, prefixOf } from './key.ts';

/** The accounts of a process. It follows the topic, so a revocation by another process takes effect at once. */
export type Accounts = {
  readonly directory: Directory;
  /** Whether the directory follows the log at the moment. Otherwise it may miss a revocation. */
  isFollowing(): boolean;
  /** Resolves when the account is durable and in this process's directory. An open account stays as it is. */
  open(name: string, accountId?: string): Promise<{ accountId: string }>;
  /** Only this answer contains the key. Throws `UnknownIdError`. */
  issueKey(accountId: string, name: string): Promise<{ keyId: string; key: string }>;
  /** Changes nothing if the key is revoked already. Throws `UnknownIdError`. */
  revokeKey(keyId: string): Promise<void>;
  stop(): Promise<void>;
};

export class UnknownIdError extends Error {
  readonly code: 'unknown_account' | 'unknown_key';
  constructor(what: 'account' | 'key', id: string) {
    super(`there is no ${what} ${id}`);
    this.name = 'UnknownIdError';
    this.code = `unknown_${what}`;
  }
}

const TOPIC = 'accounts';
/** A process that does not know the log up to this long ago accepts no key, because it may be revoked. */
export const CURRENT_WITHIN_MS = 1_000;

/** Resolves when the directory holds everything in the topic. */
export const startAccounts = async (options: {
  log: EventLog;
  codec: AccountCodec;
  clock: Clock;
  onError: (error: unknown) => void;
}): Promise<Accounts> => {
  const { log, codec, clock, onError } = options;
  const directory = new Directory(() => followed.isFollowing());
  const followed: FollowedTopic = await followTopic({
    log,
    topic: TOPIC,
    take: ({ value }) => directory.apply(codec.decode(value)),
    currentWithinMs: CURRENT_WITHIN_MS,
    onError,
  });

  const record = async (accountId: string, event: AccountEvent): Promise<void> => {
    const entry = { accountId, atUnixMs: clock.nowUnixMs(), event };
    await log.append([{ topic: TOPIC, key: accountId, value: codec.encode(entry) }]);
    // The event also comes back through the topic, which changes nothing.
    directory.apply(entry);
  };

  return {
    directory,
    isFollowing: followed.isFollowing,
    open: async (name, accountId = randomUUID()) => {
      if (directory.account(accountId) === null) await record(accountId, { type: 'AccountOpened', name });
      return { accountId };
    },
    issueKey: async (accountId, name) => {
      if (directory.account(accountId) === null) throw new UnknownIdError('account', accountId);
      const key = createKey();
      const keyId = randomUUID();
      await record(accountId, {
        type: 'KeyIssued',
        keyId,
        name,
        prefix: prefixOf(key),
        hash: hashKey(key),
      });
      return { keyId, key };
    },
    revokeKey: async (keyId) => {
      const key = directory.key(keyId);
      if (key === null) throw new UnknownIdError('key', keyId);
      // The topic is kept for ever, so the directory never ends in a gap.
      if (key.revokedUnixMs !== null) return;
      await record(key.accountId, { type: 'KeyRevoked', keyId });
    },
    stop: followed.stop,
  };
};
