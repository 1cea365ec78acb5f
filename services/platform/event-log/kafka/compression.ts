import { AsyncLocalStorage } from 'node:async_hooks';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';

/** How batches are sent to the brokers. What lies there is read whatever it was compressed with, gzip included. */
export type Compression = 'zstd' | 'none';

/** Below this a batch is not worth the way to another thread and back. */
const COMPRESSED_BYTES_MIN = 4 * 1024;
/** Level 3 takes a quarter longer and saves a seventh. */
const LEVEL = 1;
/** The largest size of a batch: our writers put less into one, so a larger batch is not ours. */
const BATCH_BYTES_MAX = 32 * 1024 * 1024;
const CHUNK_BYTES = { least: 16 * 1024, most: 1024 * 1024 };
/** Less may be a piece of Node's own pool, which is never given back. */
const OWN_BYTES_MIN = Buffer.poolSize / 2;
/** Few batches shrink further; those take another turn on the other thread. */
const USUAL_SHARE = 1 / 8;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** How many decompressed bytes the answer that is being read may still bring, and which memory it took for what it brought. */
const answerRoom = new AsyncLocalStorage<{ bytes: number; readonly batches: Buffer[] }>();

/**
 * Runs a fetch whose batches are decompressed up to about `maxBytes`, at least one of them. The rest is left as if it had
 * not come: what a broker sends is bounded compressed, and how much that is in memory only decompressing tells.
 * @param copy takes what is needed out of the answer: the memory of its batches is given back at once.
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

/** kafkajs ends an answer in front of a batch that came only in part. */
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

/** The number that a request of so many bytes carries, as kafkajs knows it. */
export const compressionType = (compression: Compression, bytes: number): number =>
  compression === 'zstd' && bytes >= COMPRESSED_BYTES_MIN
    ? kafkajs.CompressionTypes.ZSTD
    : kafkajs.CompressionTypes.None;
