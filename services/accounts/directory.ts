import type { AccountEntry } from './account-codec.ts';
import { hashKey, isSameHash, isWellFormedKey, prefixOf } from './key.ts';

export type Key = {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdUnixMs: number;
  readonly revokedUnixMs: number | null;
};

export type Account = { readonly id: string; readonly name: string; readonly openedUnixMs: number };

type KnownKey = Key & { readonly hash: Uint8Array };

/** Accounts and keys from their events. Events may come twice and in any order: a revocation wins. */
export class Directory {
  readonly #accounts = new Map<string, Account>();
  readonly #keys = new Map<string, KnownKey>();
  readonly #byPrefix = new Map<string, Set<string>>();
  /** Ids of all keys in the order of arrival. */
  readonly #issued: string[] = [];
  readonly #byAccount = new Map<string, string[]>();
  readonly #revoked = new Map<string, number>();
  /** Whether every event so far is included. Otherwise a revocation may be missing, and no key may be accepted. */
  readonly isCurrent: () => boolean;

  constructor(isCurrent: () => boolean = () => true) {
    this.isCurrent = isCurrent;
  }

  apply({ accountId, atUnixMs, event }: AccountEntry): void {
    switch (event.type) {
      case 'AccountOpened':
        if (!this.#accounts.has(accountId))
          this.#accounts.set(accountId, { id: accountId, name: event.name, openedUnixMs: atUnixMs });
        return;
      case 'KeyIssued': {
        const { keyId: id, name, prefix, hash } = event;
        if (this.#keys.has(id)) return;
        const revokedUnixMs = this.#revoked.get(id) ?? null;
        this.#keys.set(id, { id, accountId, name, prefix, hash, createdUnixMs: atUnixMs, revokedUnixMs });
        this.#issued.push(id);
        this.#byPrefix.set(prefix, (this.#byPrefix.get(prefix) ?? new Set()).add(id));
        const others = this.#byAccount.get(accountId);
        if (others) others.push(id);
        else this.#byAccount.set(accountId, [id]);
        return;
      }
      case 'KeyRevoked': {
        const key = this.#keys.get(event.keyId);
        if (!this.#revoked.has(event.keyId)) this.#revoked.set(event.keyId, atUnixMs);
        const revokedUnixMs = this.#revoked.get(event.keyId) ?? atUnixMs;
        if (key) this.#keys.set(key.id, { ...key, revokedUnixMs });
      }
    }
  }

  /** Looks up the key that a client sent; null if it opens nothing. */
  find(sent: string): Key | null {
    if (!isWellFormedKey(sent)) return null;
    const hash = hashKey(sent);
    for (const id of this.#byPrefix.get(prefixOf(sent)) ?? []) {
      const key = this.#keys.get(id);
      if (key && isSameHash(key.hash, hash)) return key.revokedUnixMs === null ? toKey(key) : null;
    }
    return null;
  }

  hasAccounts(): boolean {
    return this.#accounts.size > 0;
  }

  accounts(): Account[] {
    return [...this.#accounts.values()];
  }

  account(accountId: string): Account | null {
    return this.#accounts.get(accountId) ?? null;
  }

  key(keyId: string): Key | null {
    const key = this.#keys.get(keyId);
    return key ? toKey(key) : null;
  }

  /** Keys issued after this, including revoked ones, oldest first. */
  keysSince(unixMs: number): Key[] {
    const last = this.#issued.findLastIndex((id) => (this.#keys.get(id)?.createdUnixMs ?? 0) <= unixMs);
    return this.#issued.slice(last + 1).flatMap((id) => this.key(id) ?? []);
  }

  /** All keys of an account, including revoked ones, oldest first. */
  keysOf(accountId: string): Key[] {
    return (this.#byAccount.get(accountId) ?? []).flatMap((id) => this.key(id) ?? []);
  }
}

/** The hash never leaves this module. */
const toKey = ({ hash: _, ...key }: KnownKey): Key => key;
