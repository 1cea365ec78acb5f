import { CLOCKS_APART_MS, type ReadChallenge, USABLE_MS } from './sign-in-message.ts';

/** How long a session holds. */
export const SESSION_MS = 12 * 3_600_000;
/** Some 200 bytes each. Signing in is free, so their number is bounded too: the oldest session ends first. */
const SESSIONS_MAX = 100_000;
const NONCES_MAX = 100_000;

export type Session = { readonly accountId: string; readonly expiresUnixMs: number };

/** Which sessions hold, by the hash of their token, and which challenges were used. The first use of a nonce counts. */
export class SignedIn {
  // Both in the order of their expiry, since all last equally long.
  readonly #sessions = new Map<string, Session>();
  readonly #nonces = new Map<string, number>();
  /** Of nonces that had to be forgotten early: a challenge that was issued up to then may have been one of them. */
  #usedUpToUnixMs = 0;

  open(hash: string, nonce: string, session: Session, nowUnixMs: number): void {
    this.#forget(nowUnixMs);
    if (this.#nonces.has(nonce)) return;
    this.#nonces.set(nonce, session.expiresUnixMs - SESSION_MS);
    this.#sessions.set(hash, session);
  }

  end(hash: string): void {
    this.#sessions.delete(hash);
  }

  /** null where it is none, or over. */
  find(hash: string, nowUnixMs: number): Session | null {
    const session = this.#sessions.get(hash);
    return session && session.expiresUnixMs > nowUnixMs ? session : null;
  }

  /** Whether nobody has signed in with it yet, as far as this process has read. */
  isUnused({ nonce, issuedUnixMs }: Pick<ReadChallenge, 'nonce' | 'issuedUnixMs'>): boolean {
    return !this.#nonces.has(nonce) && !this.isTooOld(issuedUnixMs);
  }

  /** Whether a challenge may have been used and forgotten. */
  isTooOld(issuedUnixMs: number): boolean {
    return issuedUnixMs <= this.#usedUpToUnixMs;
  }

  #forget(nowUnixMs: number): void {
    for (const [hash, { expiresUnixMs }] of this.#sessions) {
      if (expiresUnixMs > nowUnixMs && this.#sessions.size < SESSIONS_MAX) break;
      this.#sessions.delete(hash);
    }
    for (const [nonce, usedUnixMs] of this.#nonces) {
      const isUsable = usedUnixMs + USABLE_MS > nowUnixMs;
      if (isUsable && this.#nonces.size < NONCES_MAX) break;
      if (isUsable) this.#usedUpToUnixMs = Math.max(this.#usedUpToUnixMs, usedUnixMs + CLOCKS_APART_MS);
      this.#nonces.delete(nonce);
    }
  }
}
