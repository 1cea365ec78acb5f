import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const MEMO = /^([0-9a-z]{1,12})\.([0-9a-f]{32})\.([\w-]{43})$/;

/** Members sorted by name, so that equal requests give equal text. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, canonical(member)]));
};

/** Hashes what a payment buys: the route and the parsed body. 64 hex digits. */
export const hashRequest = (path: string, body: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([path, canonical(body)]))
    .digest('hex');

export type MemoBinder = {
  /** A memo that fits only this request and these terms. */
  bind(terms: readonly string[], nowUnixMs: number): string;
  /**
   * When the memo was issued, Unix milliseconds; null if it was not issued, or for another request or other terms.
   */
  check(memo: unknown, terms: readonly string[]): number | null;
};

/** Binds a payment to its request on chains with memos: the memo is signed with the transfer. Nothing is stored. */
export const createMemoBinder = (secret: Uint8Array): MemoBinder => {
  const seal = (issued: string, nonce: string, terms: readonly string[]): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([issued, nonce, ...terms]))
      .digest('base64url');
  return {
    bind: (terms, nowUnixMs) => {
      const issued = Math.floor(nowUnixMs / 1_000).toString(36);
      const nonce = randomBytes(16).toString('hex');
      return `${issued}.${nonce}.${seal(issued, nonce, terms)}`;
    },
    check: (memo, terms) => {
      const [, issued, nonce, sealed] = (typeof memo === 'string' && MEMO.exec(memo)) || [];
      if (issued === undefined || nonce === undefined || sealed === undefined) return null;
      const expected = Buffer.from(seal(issued, nonce, terms));
      return timingSafeEqual(expected, Buffer.from(sealed)) ? Number.parseInt(issued, 36) * 1_000 : null;
    },
  };
};
