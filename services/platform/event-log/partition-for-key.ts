const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

const mix = (word: number): number => {
  const k = Math.imul(word, MULTIPLIER);
  return Math.imul(k ^ (k >>> 24), MULTIPLIER);
};

/** The last one to three bytes, little-endian, as the reference does with a fall-through switch. */
const mixTail = (hash: number, bytes: Uint8Array, from: number): number => {
  const rest = bytes.length - from;
  if (rest === 0) return hash;
  let tail = 0;
  for (let i = rest - 1; i >= 0; i--) tail = (tail << 8) | (bytes[from + i] ?? 0);
  return Math.imul(hash ^ tail, MULTIPLIER);
};

/** MurmurHash2, 32 bits, signed, exactly as `org.apache.kafka.common.utils.Utils.murmur2`. */
export const murmur2 = (bytes: Uint8Array): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wholeBytes = bytes.length - (bytes.length % 4);
  let hash = SEED ^ bytes.length;
  for (let index = 0; index < wholeBytes; index += 4) {
    hash = Math.imul(hash, MULTIPLIER) ^ mix(view.getInt32(index, true));
  }
  hash = mixTail(hash, bytes, wholeBytes);
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
};

/**
 * The partition that Kafka's default partitioner gives a key (UTF-8 bytes). Every engine uses it, so that a
 * key keeps its partition when a log moves to Kafka.
 */
export const partitionForKey = (key: string, partitions: number): number =>
  (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
