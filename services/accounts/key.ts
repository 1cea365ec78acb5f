import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * A key as the client has it: `spoor_live_`, 28 random base62 characters (166 bits) and 6 characters of CRC32 over
 * the rest, so that scanners and clients recognise typing errors without a request.
 */
const KEY_MARK = 'spoor_live_';
const RANDOM_CHARACTERS = 28;
const CHECK_CHARACTERS = 6;
/** The part of a key that may be shown. It identifies the key and leaves 130 bits secret. */
const PREFIX_CHARACTERS = KEY_MARK.length + 6;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = new RegExp(`^${KEY_MARK}[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECK_CHARACTERS}}$`);
/** The largest multiple of 62 in a byte. Larger bytes would make some characters likelier. */
const UNBIASED_MAX = 248;

export const createKey = (): string => {
  let random = '';
  while (random.length < RANDOM_CHARACTERS) {
    for (const byte of randomBytes(RANDOM_CHARACTERS)) {
      if (byte < UNBIASED_MAX && random.length < RANDOM_CHARACTERS) random += BASE62[byte % 62];
    }
  }
  const body = KEY_MARK + random;
  return body + checkOf(body);
};

/** Checks form and checksum only. */
export const isWellFormedKey = (text: string): boolean =>
  SHAPE.test(text) && checkOf(text.slice(0, -CHECK_CHARACTERS)) === text.slice(-CHECK_CHARACTERS);

export const prefixOf = (key: string): string => key.slice(0, PREFIX_CHARACTERS);

/** Only this hash is stored. A fast hash is enough for 166 random bits. */
export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Comparison in constant time. */
export const isSameHash = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

const checkOf = (body: string): string => {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CHECK_CHARACTERS; place++) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
};
