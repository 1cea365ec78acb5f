import { randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { type FollowedTopic, followTopic } from '../platform/event-log/follow-topic.ts';
import type { AccountCodec, AccountEvent } from './account-codec.ts';
import { Directory } from './directory.ts';
import { createKey, hashKey, prefixOf } from './key.ts';

/** Accounts as a process has them: it follows the topic, so that what another process revokes holds here at once. */
export type Accounts = {
  readonly directory: Directory;
  /** Whether the directory follows the log at the moment; while it does not, a revocation may be missed. */
  isFollowing(): boolean;
  /** Durable when it resolves, and in the directory of this process. An account that is open already stays as it is. */
  open(name: string, accountId?: string): Promise<{ accountId: string }>;
  /** The key is in the answer and nowhere else. Throws `UnknownIdError`. */
  issueKey(accountId: string, name: string): Promise<{ keyId: string; key: string }>;
  /** Changes nothing where it was revoked before. Throws `UnknownIdError`. */
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
/** Whoever cannot tell what was in the log so long ago believes no key: one may have been revoked. */
export const CURRENT_WITHIN_MS = 1_000;

/** Resolves when everything that the topic held is in the directory. */
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
    // It comes through the topic too, and says nothing new then.
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
      // The topic is kept for ever, and what this directory says is in it.
      if (key.revokedUnixMs !== null) return;
      await record(key.accountId, { type: 'KeyRevoked', keyId });
    },
    stop: followed.stop,
  };
};
