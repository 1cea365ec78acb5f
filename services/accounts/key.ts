import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * A key as the client has it: `spoor_live_`, 28 random base62 characters (166 bits) and 6 that are the CRC32 of all
 * before them, so that scanners and clients can tell a typing error without asking us.
 */
const KEY_MARK = 'spoor_live_';
const RANDOM_CHARACTERS = 28;
const CHECK_CHARACTERS = 6;
/** What may be shown of a key: enough to tell it from others, 130 bits short of opening anything. */
const PREFIX_CHARACTERS = KEY_MARK.length + 6;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = new RegExp(`^${KEY_MARK}[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECK_CHARACTERS}}$`);
/** The largest multiple of 62 in a byte: bytes above it would make some characters likelier. */
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

/** Whether it can be a key at all: its form and its checksum. */
export const isWellFormedKey = (text: string): boolean =>
  SHAPE.test(text) && checkOf(text.slice(0, -CHECK_CHARACTERS)) === text.slice(-CHECK_CHARACTERS);

export const prefixOf = (key: string): string => key.slice(0, PREFIX_CHARACTERS);

/** All that is kept of a key. A fast hash will do: nobody guesses 166 random bits. */
export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Takes the same time wherever the two differ. */
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
