import { fieldOf } from '../read-hex.ts';
import { keccak } from './keccak.ts';

/** The EVM has no log with more. */
export const TOPICS_MAX = 4;
const NAME_CHARS_MAX = 66;
const BYTES = 256;
const BITS_LAST = 2_047;

/** The filter of what logs name: their contracts and topics, three bits each. What is malformed sets other bits, or none. */
export const bloomOf = (logs: readonly unknown[]): Uint8Array => {
  const bloom = new Uint8Array(BYTES);
  for (const log of logs) {
    add(bloom, fieldOf(log, 'address'));
    const topics = fieldOf(log, 'topics');
    if (!Array.isArray(topics) || topics.length > TOPICS_MAX) continue;
    for (const topic of topics) add(bloom, topic);
  }
  return bloom;
};

const add = (bloom: Uint8Array, name: unknown): void => {
  if (typeof name !== 'string' || name.length > NAME_CHARS_MAX) return;
  const hash = keccak(Buffer.from(name.slice(2), 'hex'));
  for (const at of [0, 2, 4]) {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & BITS_LAST;
    const byte = BYTES - 1 - (bit >> 3);
    bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
  }
};

/** null where it is none, or is empty: sources that leave it out fill in zeros. */
export const readBloom = (value: unknown): Uint8Array | null => {
  if (typeof value !== 'string' || value.length !== 2 + 2 * BYTES) return null;
  const bloom = Buffer.from(value.slice(2), 'hex');
  return bloom.length === BYTES && bloom.some((byte) => byte > 0) ? bloom : null;
};

/** Whether all bits of a filter are in another one. */
export const isWithin = (bloom: Uint8Array, other: Uint8Array): boolean =>
  bloom.every((byte, at) => (byte & ~(other[at] ?? 0)) === 0);
