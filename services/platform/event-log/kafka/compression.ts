import { AsyncLocalStorage } from 'node:async_hooks';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';

/** Compression of batches sent to the brokers. Reading handles every compression, gzip included. */
export type Compression = 'zstd' | 'none';

/** A smaller batch is not worth sending to another thread and back. */
const COMPRESSED_BYTES_MIN = 4 * 1024;
/** Level 3 takes a quarter longer and saves a seventh. */
const LEVEL = 1;
/** Maximum size of a batch. Our writers stay below it, so a larger batch is not ours. */
const BATCH_BYTES_MAX = 32 * 1024 * 1024;
const CHUNK_BYTES = { least: 16 * 1024, most: 1024 * 1024 };
/** A smaller buffer may be part of Node's own pool, which is never freed. */
const OWN_BYTES_MIN = Buffer.poolSize / 2;
/** A few batches compress better than this; they take another turn on the other thread. */
const USUAL_SHARE = 1 / 8;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The bytes that the current answer may still decompress to, and the memory that it took so far. */
const answerRoom = new AsyncLocalStorage<{ bytes: number; readonly batches: Buffer[] }>();

/**
 * Runs a fetch whose batches are decompressed up to about `maxBytes`, at least one of them. The rest is
 * treated as if it had not arrived, because brokers limit the compressed size and only decompressing shows
 * the real one. @param copy takes what is needed out of the answer, because the memory of its batches is
 * freed at once.
 */
export const withinBytes = async <A, T>(
  maxBytes: number,
  fetch: () => Promise<A>,
  copy: (answer: A) => T,
): Promise<T> => {
  const room = { bytes: maxBytes, batches: [] as Buffer[] };
  const copied = copy(await answerRoom.run(room, fetch));
  for (const { buffer } of room.batches) if (buffer instanceof ArrayBuffer) buffer.transfer(0);
  return copied;
};

/** kafkajs ends an answer before a batch that arrived only in part. */
const leaveForNextFetch = (): never => {
  throw Object.assign(new Error('no room for another batch'), { name: 'KafkaJSPartialMessageError' });
};

const chunkBytes = (expected: number): number =>
  Math.min(Math.max(expected, CHUNK_BYTES.least), CHUNK_BYTES.most);

const zstd = {
  compress: ({ buffer }: { readonly buffer: Buffer }): Promise<Buffer> =>
    compress(buffer, {
      chunkSize: chunkBytes(buffer.length / 2),
      params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
    }),
  decompress: async (buffer: Buffer): Promise<Buffer> => {
    const room = answerRoom.getStore();
    if (room && room.bytes <= 0) leaveForNextFetch();
    const chunkSize = chunkBytes(buffer.length / USUAL_SHARE);
    const plain = await decompress(buffer, { chunkSize, maxOutputLength: BATCH_BYTES_MAX });
    if (room) room.bytes -= plain.length;
    if (plain.length >= OWN_BYTES_MIN) room?.batches.push(plain);
    return plain;
  },
};
kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => zstd;

/** The number by which kafkajs identifies a request of this size. */
export const compressionType = (compression: Compression, bytes: number): number =>
  compression === 'zstd' && bytes >= COMPRESSED_BYTES_MIN
    ? kafkajs.CompressionTypes.ZSTD
    : kafkajs.CompressionTypes.None;
