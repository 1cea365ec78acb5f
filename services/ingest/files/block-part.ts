import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { openRegularFile } from '../../platform/open-regular-file.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { CONTAINERS_MAX, createValueCount } from '../block-limits.ts';

const ERROR_CHARS_MAX = 300;
const EXTENSIONS = ['.json', '.json.gz'];
const gunzipAsync = promisify(gunzip);

/** The path of an EVM block's part; null if it is absent. */
export const partPath = (folder: string, part: string): string | null =>
  EXTENSIONS.map((extension) => join(folder, part + extension)).find((path) => existsSync(path)) ?? null;

export type BlockPart = {
  readonly bytes: number;
  readonly original: Buffer;
  /**
   * Throws `BlockFormatError` if the file is too large, has too many values (`too_many_values`), or is no gzip
   * despite its name.
   */
  content(): Buffer;
  readonly isMissing: boolean;
};

// Far above any block's traces, and below what parsing can do; a thread needs a multiple of it.
const FILE_BYTES_MAX = 128 << 20;
const NO_BYTES = Buffer.alloc(0);
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
/** Some editors write it before JSON. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const beginsWith = (bytes: Buffer, mark: Buffer): boolean => bytes.subarray(0, mark.length).equals(mark);
const MISSING: BlockPart = { bytes: 0, original: NO_BYTES, content: () => NO_BYTES, isMissing: true };

/** An absent part has no bytes. Throws the file system's error. */
export const readPart = async (path: string | null): Promise<BlockPart> => {
  if (path === null) return MISSING;
  const file = await openRegularFile(path);
  let original: Buffer;
  try {
    const { size } = await file.stat();
    if (size > FILE_BYTES_MAX) return brokenPart(NO_BYTES, tooLarge(path, `has ${size} bytes`));
    original = await file.readFile();
  } finally {
    await file.close();
  }
  if (!path.endsWith('.gz') && !beginsWith(original, GZIP_MAGIC)) return partOf(path, original, original);
  try {
    return partOf(path, original, await gunzipAsync(original, { maxOutputLength: FILE_BYTES_MAX }));
  } catch (error) {
    // The file could be read, so the error is permanent and belongs to the block.
    const isTooLarge = error instanceof RangeError;
    const message = `${path} is not gzip: ${String(error)}`;
    const why = isTooLarge
      ? tooLarge(path, 'unpacks to more')
      : new BlockFormatError('not_gzip', message, { cause: error });
    return brokenPart(original, why);
  }
};

const partOf = (path: string, original: Buffer, unpacked: Buffer): BlockPart => {
  const content = beginsWith(unpacked, BYTE_ORDER_MARK)
    ? unpacked.subarray(BYTE_ORDER_MARK.length)
    : unpacked;
  if (!createValueCount()(content))
    return { bytes: content.length, original, content: () => content, isMissing: false };
  const message = `${path} has more than ${CONTAINERS_MAX} objects and lists`;
  return brokenPart(original, new BlockFormatError('too_many_values', message));
};

const tooLarge = (path: string, what: string): BlockFormatError =>
  new BlockFormatError(
    'file_too_large',
    `${path} ${what}, and ${FILE_BYTES_MAX} is the most a block may have`,
  );

const brokenPart = (original: Buffer, why: BlockFormatError): BlockPart => ({
  bytes: original.length,
  original,
  content: () => {
    throw why;
  },
  isMissing: false,
});

/** null if the part is absent. Throws `BlockFormatError`. */
export const parsePart = (part: BlockPart, name: string): unknown => {
  if (part.isMissing) return null;
  const parsed = parseText(part.content().toString(), name);
  refuseNodeError(parsed);
  return unwrap(parsed);
};

const parseText = (text: string, name: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BlockFormatError('not_json', `${name} is not JSON: ${String(error)}`, { cause: error });
  }
};

/** Saved answers may contain a node's error in place of a block. Throws `BlockFormatError` `node_error`. */
export const refuseNodeError = (parsed: unknown): void => {
  if (typeof parsed !== 'object' || parsed === null) return;
  if (!('jsonrpc' in parsed) || !('error' in parsed) || !parsed.error) return;
  const told = JSON.stringify(parsed.error).slice(0, ERROR_CHARS_MAX);
  throw new BlockFormatError('node_error', `this is a node's error, not a block: ${told}`);
};

/** A whole JSON-RPC answer is taken for its result. */
export const unwrap = (parsed: unknown): unknown =>
  typeof parsed === 'object' && parsed !== null && 'jsonrpc' in parsed && 'result' in parsed
    ? parsed.result
    : parsed;
