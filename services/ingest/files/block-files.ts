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
  /** Changes whenever the content may have changed, and with the chain it is said to be of. */
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
  /** A path that cannot be looked into, named or walked; the rest is given. Without this its error ends the walk. */
  readonly unreadable?: (path: string, error: Error) => void;
};

const JSON_FILE = /\.json(\.gz)?$/;
const EVM_BLOCK = /^block\.json(\.gz)?$/;
const EVM_PART = /^(block|receipts|traces|uncles|normalised)\.json(\.gz)?$/;

/**
 * The blocks among `paths`, folders walked, in natural order of their names within each path. A path that was named
 * is always given, whatever it holds; of walked folders only `.json` and `.json.gz`. What is named twice, by itself or by a
 * folder around it, or by several parts of an EVM block, is given once. A link to a folder is followed where it is named;
 * in a walked folder it is told as unreadable (`link_to_folder`), since it may lead round in a circle. So is a link out of the folder
 * that was named (`link_outside`): whoever filled that is not to choose what else of this machine is read.
 * @throws the file system's error for a path that is not there, unless `unreadable` is told
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

/** Only what was named can be met twice: of a folder with millions of files nothing else is remembered. */
class GivenPlaces {
  readonly #named: ReadonlySet<string>;
  readonly #given = new Set<string>();

  constructor(named: readonly string[]) {
    this.#named = new Set(named.map(placeOf));
  }

  isNamed(path: string): boolean {
    return this.#named.has(placeOf(path));
  }

  /** Whether it is met for the first time. */
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
    tellUnreadable(path, error, options);
    return;
  }
  if (isFolder) yield* walk(path, { ...options, root: await realpath(path) }, given);
  else yield await solanaFile(path, options);
}

type WalkOptions = BlockFileOptions & {
  /** Where the folder lies that was named. */
  readonly root: string;
};

async function* walk(folder: string, options: WalkOptions, given: GivenPlaces): AsyncGenerator<BlockFile> {
  const entries: Dirent[] = [];
  let isPartOutside = false;
  for (const entry of await listFolder(folder, options)) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink() && !given.isNamed(path) && (await leadsOutside(path, options))) {
      tellUnreadable(path, linkOutside(path), options);
      isPartOutside ||= EVM_PART.test(entry.name);
    } else entries.push(entry);
  }
  const block = entries.find(({ name }) => EVM_BLOCK.test(name));
  // Half of a block is none.
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
    // It leads nowhere, which is found out when it is read.
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
    if (!given.isNamed(path)) tellUnreadable(path, linkToFolder(path), options);
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
    tellUnreadable(folder, error, options);
    return [];
  }
};

const tellUnreadable = (path: string, error: unknown, { unreadable }: BlockFileOptions): void => {
  if (!unreadable || !(error instanceof Error)) throw error;
  unreadable(path, error);
};

const byName = (a: Dirent, b: Dirent): number => a.name.localeCompare(b.name, 'en', { numeric: true });

/** Of a path that names a part of an EVM block. */
const evmFolderOf = (path: string): string | null =>
  EVM_PART.test(basename(path)) && hasReceipts(dirname(path)) ? dirname(path) : null;

/** Where a path leads; of any part of an EVM block where its receipts lie. */
const placeOf = (path: string): string => {
  const folder = evmFolderOf(path);
  return resolve((folder === null ? null : partPath(folder, 'receipts')) ?? path);
};

/** What makes a folder an EVM block: people save Solana blocks as `block.json`, too. */
const hasReceipts = (folder: string): boolean => partPath(folder, 'receipts') !== null;

/** What is read as another chain is another block. */
const versionOf = async (paths: readonly string[], { chain }: BlockFileOptions): Promise<string> => {
  const stamps = await Promise.all(paths.map(stampOf));
  return (chain === null ? stamps : [...stamps, chain]).join();
};

/** A file that cannot be looked at is found out when it is read: it must not end the walk of its folder. */
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

/** Says what a file is that people mistake for a block. */
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
      // Only now: a thread that meets no EVM block starts in half the time without what decodes bridges' logs.
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
