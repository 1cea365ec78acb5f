import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { type ChainFamily, findChain } from '../../investigate/model/chain.ts';
import { BlockFormatError } from '../block-format-error.ts';
import type { EvmBlockInput } from '../evm/decode-evm-block.ts';
import { decodeSolanaBlock } from '../solana/decode-solana-block.ts';
import type { VoteFees } from '../solana/decode-transaction.ts';
import { parseSolanaBlock } from '../solana/encoding/parse-solana-block.ts';
import { slotOf } from '../solana/slot-of.ts';
import { type BlockPart, parsePart, partPath, readPart, refuseNodeError } from './block-part.ts';

/** A block on disk: one file of a Solana block, or the folder of an EVM block. */
export type BlockFile = {
  readonly path: string;
  /** Changes whenever the content may have changed, or the chain that it is read as. */
  readonly version: string;
  /** Reads the bytes. Throws the file system's error. */
  read(): Promise<BlockContent>;
};

export type BlockContent = {
  /** Uncompressed. */
  readonly bytes: number;
  /** The packed bytes; of an EVM folder the block part. Empty if the file is too large. */
  readonly original: Buffer;
  /** Throws `BlockFormatError` if this is no block. */
  decode(): DecodedBlock;
};

export type BlockFileOptions = {
  /** null: `solana` for single files, the folder's name for EVM blocks (`…/ethereum/17000000`). */
  readonly chain: string | null;
  readonly votes: VoteFees;
  /** A walked file that is not opened. */
  readonly ignored?: (path: string) => void;
  /** An unreadable path; the rest is returned. Without this callback its error ends the walk. */
  readonly unreadable?: (path: string, error: Error) => void;
};

const JSON_FILE = /\.json(\.gz)?$/;
const EVM_BLOCK = /^block\.json(\.gz)?$/;
const EVM_PART = /^(block|receipts|traces|uncles|normalised)\.json(\.gz)?$/;

/**
 * The blocks among `paths`, walking folders, in natural order of names within each path. A named path is always
 * returned; of walked folders only `.json` and `.json.gz`. Duplicates are returned once. A link to a folder is
 * followed only if named; inside a walked folder it is reported (`link_to_folder`), because it may form a circle.
 * A link out of the named folder is reported (`link_outside`): whoever fills a folder must not choose other files
 * of this machine. @throws the file system's error for a missing path, unless `unreadable` is given
 */
export async function* findBlockFiles(
  paths: readonly string[],
  options: BlockFileOptions,
): AsyncGenerator<BlockFile> {
  const given = new GivenPlaces(paths);
  for (const path of paths) {
    if (!given.take(path)) continue;
    const folder = evmFolderOf(path);
    if (folder !== null) yield await evmFolder(folder, options);
    else yield* lookInto(path, options, given);
  }
}

/** Only named paths can repeat, so nothing else is remembered of a folder with millions of files. */
class GivenPlaces {
  readonly #named: ReadonlySet<string>;
  readonly #given = new Set<string>();

  constructor(named: readonly string[]) {
    this.#named = new Set(named.map(placeOf));
  }

  isNamed(path: string): boolean {
    return this.#named.has(placeOf(path));
  }

  /** Whether it is seen for the first time. */
  take(path: string): boolean {
    const place = placeOf(path);
    if (this.#given.has(place)) return false;
    if (this.#named.has(place)) this.#given.add(place);
    return true;
  }
}

async function* lookInto(
  path: string,
  options: BlockFileOptions,
  given: GivenPlaces,
): AsyncGenerator<BlockFile> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(path)).isDirectory();
  } catch (error) {
    describeUnreadable(path, error, options);
    return;
  }
  if (isFolder) yield* walk(path, { ...options, root: await realpath(path) }, given);
  else yield await solanaFile(path, options);
}

type WalkOptions = BlockFileOptions & {
  /** The real path of the named folder. */
  readonly root: string;
};

async function* walk(folder: string, options: WalkOptions, given: GivenPlaces): AsyncGenerator<BlockFile> {
  const entries: Dirent[] = [];
  let isPartOutside = false;
  for (const entry of await listFolder(folder, options)) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink() && !given.isNamed(path) && (await leadsOutside(path, options))) {
      describeUnreadable(path, linkOutside(path), options);
      isPartOutside ||= EVM_PART.test(entry.name);
    } else entries.push(entry);
  }
  const block = entries.find(({ name }) => EVM_BLOCK.test(name));
  // Half a block is none.
  if (isPartOutside && hasReceipts(folder)) return;
  if (block === undefined || !hasReceipts(folder)) {
    for (const entry of entries) yield* giveEntry(join(folder, entry.name), entry, options, given);
    return;
  }
  if (given.take(join(folder, block.name))) yield await evmFolder(folder, options);
  for (const { name } of entries) if (!EVM_PART.test(name)) options.ignored?.(join(folder, name));
}

const leadsOutside = async (path: string, { root }: WalkOptions): Promise<boolean> => {
  try {
    const target = await realpath(path);
    return target !== root && !target.startsWith(root.endsWith(sep) ? root : root + sep);
  } catch {
    // A dangling link fails later, when it is read.
    return false;
  }
};

async function* giveEntry(
  path: string,
  entry: Dirent,
  options: WalkOptions,
  given: GivenPlaces,
): AsyncGenerator<BlockFile> {
  if (entry.isDirectory()) {
    if (given.take(path)) yield* walk(path, options, given);
  } else if (await leadsToFolder(path, entry)) {
    if (!given.isNamed(path)) describeUnreadable(path, linkToFolder(path), options);
  } else if (!JSON_FILE.test(entry.name)) options.ignored?.(path);
  else if (given.take(path)) yield await solanaFile(path, options);
}

const leadsToFolder = async (path: string, entry: Dirent): Promise<boolean> => {
  if (!entry.isSymbolicLink()) return false;
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

const linkToFolder = (path: string): BlockFormatError =>
  new BlockFormatError(
    'link_to_folder',
    `${path} is a link to a folder and is not followed: name it as a path of its own to read it`,
  );

const linkOutside = (path: string): BlockFormatError =>
  new BlockFormatError(
    'link_outside',
    `${path} is a link out of the folder and is not followed: name it as a path of its own to read it`,
  );

const listFolder = async (folder: string, options: BlockFileOptions): Promise<Dirent[]> => {
  try {
    return (await readdir(folder, { withFileTypes: true })).sort(byName);
  } catch (error) {
    describeUnreadable(folder, error, options);
    return [];
  }
};

const describeUnreadable = (path: string, error: unknown, { unreadable }: BlockFileOptions): void => {
  if (!unreadable || !(error instanceof Error)) throw error;
  unreadable(path, error);
};

const byName = (a: Dirent, b: Dirent): number => a.name.localeCompare(b.name, 'en', { numeric: true });

/** Of a path that names a part of an EVM block. */
const evmFolderOf = (path: string): string | null =>
  EVM_PART.test(basename(path)) && hasReceipts(dirname(path)) ? dirname(path) : null;

/** The real path; for parts of an EVM block, that of its receipts. */
const placeOf = (path: string): string => {
  const folder = evmFolderOf(path);
  return resolve((folder === null ? null : partPath(folder, 'receipts')) ?? path);
};

/** The signs of an EVM block's folder: people save Solana blocks as `block.json`, too. */
const hasReceipts = (folder: string): boolean => partPath(folder, 'receipts') !== null;

/** The same file read as another chain is another block. */
const versionOf = async (paths: readonly string[], { chain }: BlockFileOptions): Promise<string> => {
  const stamps = await Promise.all(paths.map(stampOf));
  return (chain === null ? stamps : [...stamps, chain]).join();
};

/** An unreadable file is reported when it is read, and must not end the walk. */
const stampOf = async (path: string): Promise<string> => {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${size}-${mtimeMs}`;
  } catch {
    return 'unknown';
  }
};

const solanaFile = async (path: string, options: BlockFileOptions): Promise<BlockFile> => ({
  path,
  version: await versionOf([path], options),
  read: async () => {
    const part = await readPart(path);
    return { bytes: part.bytes, original: part.original, decode: () => decodeSolana(path, part, options) };
  },
});

const decodeSolana = (path: string, part: BlockPart, { chain, votes }: BlockFileOptions): DecodedBlock => {
  const block = parseSolanaBlock(part.content());
  refuseOtherShapes(path, block);
  const name = ofFamily('solana', chain ?? 'solana');
  return decodeSolanaBlock({ block, slot: slotOf(path, block), chain: name, votes });
};

const ofFamily = (family: ChainFamily, chain: string): string => {
  const known = findChain(chain);
  if (known === null || known.family === family) return chain;
  throw new BlockFormatError(
    'chain_family',
    `this is no block of ${chain}: it has the form of ${family} blocks`,
  );
};

/** Explains what a file is that people mistake for a block. */
const refuseOtherShapes = (path: string, block: unknown): void => {
  refuseNodeError(block);
  if (typeof block !== 'object' || block === null || Array.isArray(block))
    throw new BlockFormatError('not_a_block', 'a block is an object');
  if ('transaction' in block && 'meta' in block)
    throw new BlockFormatError('not_a_block', 'this is one transaction (getTransaction), not a block');
  if (!('parentHash' in block)) return;
  if (EVM_BLOCK.test(basename(path)))
    throw new BlockFormatError('receipts_missing', `there is no receipts.json beside ${path}`);
  throw new BlockFormatError('not_a_block', 'an EVM block is a folder with block.json and receipts.json');
};

const evmFolder = async (folder: string, options: BlockFileOptions): Promise<BlockFile> => {
  const paths = { block: partPath(folder, 'block'), receipts: partPath(folder, 'receipts') };
  const optional = { traces: partPath(folder, 'traces'), uncles: partPath(folder, 'uncles') };
  const present = [...Object.values(paths), ...Object.values(optional)].filter((path) => path !== null);
  return {
    path: folder,
    version: await versionOf(present, options),
    read: async () => {
      const [block, receipts, traces, uncles] = await Promise.all([
        readPart(paths.block),
        readPart(paths.receipts),
        readPart(optional.traces),
        readPart(optional.uncles),
      ]);
      // Loaded late: a thread without EVM blocks starts in half the time.
      const { decodeEvmBlock } = await import('../evm/decode-evm-block.ts');
      const parts = { block, receipts, traces, uncles };
      const folderChain = chainOf(folder);
      return {
        bytes: block.bytes + receipts.bytes + traces.bytes + uncles.bytes,
        original: block.original,
        decode: () => decodeEvm(folder, parts, { ...options, folderChain }, decodeEvmBlock),
      };
    },
  };
};

type EvmParts = Readonly<Record<'block' | 'receipts' | 'traces' | 'uncles', BlockPart>>;

const decodeEvm = (
  folder: string,
  parts: EvmParts,
  options: BlockFileOptions & { readonly folderChain: string | null },
  decodeEvmBlock: (input: EvmBlockInput) => DecodedBlock,
): DecodedBlock => {
  if (parts.block.isMissing)
    throw new BlockFormatError('block_missing', `there is no block.json in ${folder}`);
  const block = parsePart(parts.block, 'block');
  if (typeof block === 'object' && block !== null && 'blockhash' in block)
    return decodeSolana('block.json', parts.block, options);
  const uncles = parsePart(parts.uncles, 'uncles');
  return decodeEvmBlock({
    chain: ofFamily('evm', options.chain ?? options.folderChain ?? chainUnknown(folder)),
    block,
    receipts: parsePart(parts.receipts, 'receipts'),
    traces: parsePart(parts.traces, 'traces'),
    uncles: Array.isArray(uncles) ? uncles : null,
  });
};

/** `…/ethereum/17000000`: the folder of a block is its number, and the one above names the chain; null where it does not. */
const chainOf = (folder: string): string | null => {
  const place = resolve(folder);
  const name = basename(dirname(place));
  return /^\d+$/.test(basename(place)) && name !== '' ? name : null;
};

const chainUnknown = (folder: string): never => {
  throw new BlockFormatError('chain_unknown', `${folder} does not name its chain: use --chain`);
};
