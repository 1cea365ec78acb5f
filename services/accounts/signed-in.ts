import { CLOCKS_APART_MS, type ReadChallenge, USABLE_MS } from './sign-in-message.ts';

/** How long a session holds. */
export const SESSION_MS = 12 * 3_600_000;
/** Some 200 bytes each. Signing in is free, so their number is bounded: the oldest session ends first. */
const SESSIONS_MAX = 100_000;
const NONCES_MAX = 100_000;
/** Sign-ins of an account within `SESSION_MS`, ended sessions included, because each leaves a record. */
export const SIGN_INS_MAX = 100;

export type Session = { readonly accountId: string; readonly expiresUnixMs: number };
/** An ended session counts as a sign-in until it would have expired. */
type KnownSession = Session & { readonly isEnded: boolean };

/** Valid sessions by the hash of their token, and used challenges. The first use of a nonce counts. */
export class SignedIn {
  // Both in the order of expiry, since all last equally long.
  readonly #sessions = new Map<string, KnownSession>();
  readonly #nonces = new Map<string, number>();
  /** The number of sessions of each account. */
  readonly #signIns = new Map<string, number>();
  /** The latest issue time of nonces that were forgotten early: an older challenge may have been used. */
  #usedUpToUnixMs = 0;

  open(hash: string, nonce: string, session: Session, nowUnixMs: number): void {
    this.#forget(nowUnixMs);
    if (this.#nonces.has(nonce)) return;
    this.#nonces.set(nonce, session.expiresUnixMs - SESSION_MS);
    this.#sessions.set(hash, { ...session, isEnded: false });
    this.#count(session.accountId, 1);
  }

  end(hash: string): void {
    const session = this.#sessions.get(hash);
    // Inserted by expiry.
    if (session) this.#sessions.set(hash, { ...session, isEnded: true });
  }

  /** Whether the account may sign in again, as far as this process has read. */
  mayOpen(accountId: string, nowUnixMs: number): boolean {
    this.#forget(nowUnixMs);
    return (this.#signIns.get(accountId) ?? 0) < SIGN_INS_MAX;
  }

  /** null if it is unknown or over. */
  find(hash: string, nowUnixMs: number): Session | null {
    const session = this.#sessions.get(hash);
    return session && !session.isEnded && session.expiresUnixMs > nowUnixMs ? session : null;
  }

  /** Whether the challenge is unused, as far as this process has read. */
  isUnused({ nonce, issuedUnixMs }: Pick<ReadChallenge, 'nonce' | 'issuedUnixMs'>): boolean {
    return !this.#nonces.has(nonce) && !this.isTooOld(issuedUnixMs);
  }

  /** Whether the challenge may have been used and forgotten. */
  isTooOld(issuedUnixMs: number): boolean {
    return issuedUnixMs <= this.#usedUpToUnixMs;
  }

  #count(accountId: string, by: 1 | -1): void {
    const count = (this.#signIns.get(accountId) ?? 0) + by;
    if (count === 0) this.#signIns.delete(accountId);
    else this.#signIns.set(accountId, count);
  }

  #forget(nowUnixMs: number): void {
    for (const [hash, { accountId, expiresUnixMs }] of this.#sessions) {
      if (expiresUnixMs > nowUnixMs && this.#sessions.size < SESSIONS_MAX) break;
      this.#sessions.delete(hash);
      this.#count(accountId, -1);
    }
    for (const [nonce, usedUnixMs] of this.#nonces) {
      const isUsable = usedUnixMs + USABLE_MS > nowUnixMs;
      if (isUsable && this.#nonces.size < NONCES_MAX) break;
      if (isUsable) this.#usedUpToUnixMs = Math.max(this.#usedUpToUnixMs, usedUnixMs + CLOCKS_APART_MS);
      this.#nonces.delete(nonce);
    }
  }
}
