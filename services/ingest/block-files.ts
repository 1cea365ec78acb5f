import { type Dirent, existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { BlockFormatError } from './block-format-error.ts';
import { decodeEvmBlock } from './evm/decode-evm-block.ts';
import { decodeSolanaBlock } from './solana/decode-solana-block.ts';
import type { VoteFees } from './solana/decode-transaction.ts';
import { parseSolanaBlock } from './solana/parse-solana-block.ts';
import { slotOf } from './solana/slot-of.ts';

/** A block on disk: one file of a Solana block, or the folder of an EVM block. */
export type BlockFile = {
  readonly path: string;
  /** Changes whenever the content may have changed. */
  readonly version: string;
  /** Reads the bytes. Throws the file system's error. */
  read(): Promise<BlockContent>;
};

export type BlockContent = {
  /** Uncompressed. */
  readonly bytes: number;
  /** As it lies on disk; of an EVM folder the block part. Empty where the file is too large to be read. */
  readonly original: Buffer;
  /** Throws `BlockFormatError` where this is no block. */
  decode(): DecodedBlock;
};

export type BlockFileOptions = {
  /** null: `solana` for single files, the folder's name for EVM blocks (`…/ethereum/17000000`). */
  readonly chain: string | null;
  readonly votes: VoteFees;
  /** A file of a walked folder that is not looked into. */
  readonly ignored?: (path: string) => void;
  /** A folder within a walked one that cannot be looked into; the rest is walked. Without this its error ends the walk. */
  readonly unreadable?: (folder: string, error: Error) => void;
};

const JSON_FILE = /\.json(\.gz)?$/;
const EVM_PART = /^(block|receipts|traces|uncles|normalised)\.json(\.gz)?$/;
const EXTENSIONS = ['.json', '.json.gz'];
const gunzipAsync = promisify(gunzip);

/**
 * The blocks among `paths`, folders walked, in natural order of their names within each path. A path that was named
 * is always given, whatever it holds; of walked folders only `.json` and `.json.gz`. An EVM block is given once,
 * however many of its parts were named.
 * @throws the file system's error for a path that is not there; those after it can be asked for with another call
 */
export async function* findBlockFiles(
  paths: readonly string[],
  options: BlockFileOptions,
): AsyncGenerator<BlockFile> {
  const given = new Set<string>();
  for (const path of paths) {
    const isFolder = (await stat(path)).isDirectory();
    for await (const file of isFolder ? walk(path, options) : [await nameFile(path, options)]) {
      if (given.has(file.path)) continue;
      given.add(file.path);
      yield file;
    }
  }
}

async function* walk(folder: string, options: BlockFileOptions): AsyncGenerator<BlockFile> {
  const entries = await listFolder(folder, options);
  const isEvm = entries.some(({ name }) => /^block\.json(\.gz)?$/.test(name));
  if (isEvm) yield await evmFolder(folder, options);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (isEvm) {
      if (!EVM_PART.test(entry.name)) options.ignored?.(path);
    } else if (entry.isDirectory()) yield* walk(path, options);
    else if (JSON_FILE.test(entry.name)) yield await solanaFile(path, options);
    else options.ignored?.(path);
  }
}

const listFolder = async (folder: string, { unreadable }: BlockFileOptions): Promise<Dirent[]> => {
  try {
    return (await readdir(folder, { withFileTypes: true })).sort(byName);
  } catch (error) {
    if (!unreadable || !(error instanceof Error)) throw error;
    unreadable(folder, error);
    return [];
  }
};

const byName = (a: Dirent, b: Dirent): number => a.name.localeCompare(b.name, 'en', { numeric: true });

const nameFile = (path: string, options: BlockFileOptions): Promise<BlockFile> =>
  EVM_PART.test(basename(path)) ? evmFolder(dirname(path), options) : solanaFile(path, options);

/** A file that cannot be looked at is found out when it is read: it must not end the walk of its folder. */
const versionOf = async (path: string): Promise<string> => {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${size}-${mtimeMs}`;
  } catch {
    return 'unknown';
  }
};

const solanaFile = async (path: string, { chain, votes }: BlockFileOptions): Promise<BlockFile> => ({
  path,
  version: await versionOf(path),
  read: async () => {
    const part = await readPart(path);
    return {
      bytes: part.bytes,
      original: part.original,
      decode: () => {
        const block = unwrap(parseSolanaBlock(part.content()));
        refuseOtherShapes(block);
        return decodeSolanaBlock({ block, slot: slotOf(path, block), chain: chain ?? 'solana', votes });
      },
    };
  },
});

/** A whole JSON-RPC answer is taken for its result. */
const unwrap = (parsed: unknown): unknown =>
  typeof parsed === 'object' && parsed !== null && 'jsonrpc' in parsed && 'result' in parsed
    ? parsed.result
    : parsed;

/** Says what a file is that people mistake for a block. */
const refuseOtherShapes = (block: unknown): void => {
  if (typeof block !== 'object' || block === null || Array.isArray(block))
    throw new BlockFormatError('not_a_block', 'a block is an object');
  if ('transaction' in block && 'meta' in block)
    throw new BlockFormatError('not_a_block', 'this is one transaction (getTransaction), not a block');
  if ('parentHash' in block)
    throw new BlockFormatError('not_a_block', 'an EVM block is a folder with block.json and receipts.json');
};

const evmFolder = async (folder: string, { chain }: BlockFileOptions): Promise<BlockFile> => {
  const paths = { block: partPath(folder, 'block'), receipts: partPath(folder, 'receipts') };
  const optional = { traces: partPath(folder, 'traces'), uncles: partPath(folder, 'uncles') };
  const present = [...Object.values(paths), ...Object.values(optional)].filter((path) => path !== null);
  return {
    path: folder,
    version: (await Promise.all(present.map(versionOf))).join(),
    read: async () => {
      const block = await readPart(paths.block);
      const receipts = await readPart(paths.receipts);
      const traces = await readPart(optional.traces);
      const uncles = await readPart(optional.uncles);
      return {
        bytes: block.bytes + receipts.bytes + traces.bytes + uncles.bytes,
        original: block.original,
        decode: () => {
          const listed = parsePart(uncles, 'uncles');
          return decodeEvmBlock({
            chain: chain ?? chainOf(folder),
            block: parsePart(block, 'block'),
            receipts: parsePart(receipts, 'receipts'),
            traces: parsePart(traces, 'traces'),
            uncles: Array.isArray(listed) ? listed : null,
          });
        },
      };
    },
  };
};

/** `…/ethereum/17000000`: the folder of a block is its number, and the one above names the chain. */
const chainOf = (folder: string): string => {
  const name = basename(dirname(folder));
  if (/^\d+$/.test(basename(folder)) && name !== '' && name !== '.') return name;
  throw new BlockFormatError('chain_unknown', `${folder} does not say its chain: name it with --chain`);
};

const partPath = (folder: string, part: string): string | null =>
  EXTENSIONS.map((extension) => join(folder, part + extension)).find((path) => existsSync(path)) ?? null;

type Part = {
  readonly bytes: number;
  readonly original: Buffer;
  /** Throws `BlockFormatError` when the file is too large, or no gzip although its name says so. */
  content(): Buffer;
  readonly isMissing: boolean;
};

// Far above the traces of any block. Two threads that each parse so much still stay near a gigabyte.
const FILE_BYTES_MAX = 128 << 20;
const NO_BYTES = Buffer.alloc(0);
const MISSING: Part = { bytes: 0, original: NO_BYTES, content: () => NO_BYTES, isMissing: true };

const readPart = async (path: string | null): Promise<Part> => {
  if (path === null) return MISSING;
  const { size } = await stat(path);
  if (size > FILE_BYTES_MAX) return brokenPart(NO_BYTES, tooLarge(path, `has ${size} bytes`));
  const original = await readFile(path);
  if (!path.endsWith('.gz'))
    return { bytes: original.length, original, content: () => original, isMissing: false };
  try {
    const content = await gunzipAsync(original, { maxOutputLength: FILE_BYTES_MAX });
    return { bytes: content.length, original, content: () => content, isMissing: false };
  } catch (error) {
    // The file could be read: what is wrong with it will not go away, so it is the block that is broken.
    const isTooLarge = error instanceof RangeError;
    const message = `${path} is no gzip: ${String(error)}`;
    const why = isTooLarge
      ? tooLarge(path, 'unpacks to more')
      : new BlockFormatError('not_gzip', message, { cause: error });
    return brokenPart(original, why);
  }
};

const tooLarge = (path: string, what: string): BlockFormatError =>
  new BlockFormatError(
    'file_too_large',
    `${path} ${what}, and ${FILE_BYTES_MAX} is the most a block may have`,
  );

const brokenPart = (original: Buffer, why: BlockFormatError): Part => ({
  bytes: original.length,
  original,
  content: () => {
    throw why;
  },
  isMissing: false,
});

const parsePart = (part: Part, name: string): unknown => {
  if (part.isMissing) return null;
  const text = part.content().toString();
  try {
    return unwrap(JSON.parse(text));
  } catch (error) {
    throw new BlockFormatError('not_json', `${name} is not JSON: ${String(error)}`, { cause: error });
  }
};
