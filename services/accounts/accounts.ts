import { randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import type { AccountCodec, AccountEvent } from './account-codec.ts';
import { Directory } from './directory.ts';
import { createKey, hashKey, prefixOf } from './key.ts';

/** Accounts as a process has them: it follows the topic, so that what another process revokes holds here at once. */
export type Accounts = {
  readonly directory: Directory;
  /** Whether the directory follows the log at the moment; while it does not, a revocation may be missed. */
  isFollowing(): boolean;
  /** Durable when it resolves, and in the directory of this process. */
  open(name: string): Promise<{ accountId: string }>;
  /** The key is in the answer and nowhere else. Throws `UnknownAccountError`. */
  issueKey(accountId: string, name: string): Promise<{ keyId: string; key: string }>;
  /** Throws `UnknownKeyError`. */
  revokeKey(keyId: string): Promise<void>;
  stop(): Promise<void>;
};

export class UnknownAccountError extends Error {
  readonly code = 'unknown_account';
  constructor(accountId: string) {
    super(`there is no account ${accountId}`);
    this.name = 'UnknownAccountError';
  }
}

export class UnknownKeyError extends Error {
  readonly code = 'unknown_key';
  constructor(keyId: string) {
    super(`there is no key ${keyId}`);
    this.name = 'UnknownKeyError';
  }
}

const TOPIC = 'accounts';
const POLL = { maxBytes: 4 << 20, waitMs: 100 };
const AGAIN_MS = 200;

/** Resolves when everything that the topic held is in the directory. */
export const startAccounts = async (options: {
  log: EventLog;
  codec: AccountCodec;
  clock: Clock;
  onError: (error: unknown) => void;
}): Promise<Accounts> => {
  const { log, codec, clock, onError } = options;
  const directory = new Directory();
  // A group of its own: every process reads all of it, and nobody waits for anybody.
  const consumer = await log.consume({ group: `accounts-${randomUUID()}`, topics: [TOPIC] });
  const isRead = async (): Promise<boolean> =>
    (await log.ranges(TOPIC)).every(({ partition, end }) => (next.get(partition) ?? 0) >= end);
  const next = new Map<number, number>();
  let isStopping = false;
  let isFollowing = true;

  const advance = async (): Promise<void> => {
    const batch = await consumer.poll(POLL);
    for (const record of batch?.records ?? []) {
      directory.apply(codec.decode(record.value));
      next.set(record.partition, record.offset + 1);
    }
  };
  const follow = async (): Promise<void> => {
    while (!isStopping) {
      try {
        await advance();
        isFollowing = true;
      } catch (error) {
        if (isStopping) return;
        isFollowing = false;
        onError(error);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  };

  const record = async (accountId: string, event: AccountEvent): Promise<void> => {
    const entry = { accountId, atUnixMs: clock.nowUnixMs(), event };
    await log.append([{ topic: TOPIC, key: accountId, value: codec.encode(entry) }]);
    // It comes through the topic too, and says nothing new then.
    directory.apply(entry);
  };

  while (!(await isRead())) await advance();
  const followed = follow();
  return {
    directory,
    isFollowing: () => isFollowing,
    open: async (name) => {
      const accountId = randomUUID();
      await record(accountId, { type: 'AccountOpened', name });
      return { accountId };
    },
    issueKey: async (accountId, name) => {
      if (directory.account(accountId) === null) throw new UnknownAccountError(accountId);
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
      if (key === null) throw new UnknownKeyError(keyId);
      await record(key.accountId, { type: 'KeyRevoked', keyId });
    },
    stop: async () => {
      isStopping = true;
      await consumer.close();
      await followed;
    },
  };
};
