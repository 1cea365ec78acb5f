import { keccak } from './keccak.ts';
import type { RlpWriter } from './rlp-writer.ts';

/** Of no items: the hash of nothing as RLP. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const NIBBLES = 16;

/** Writes item `at` at the writer's end; an item has 32 bytes or more. */
export type WriteItem = (writer: RlpWriter, at: number) => void;

/**
 * The root of the Merkle Patricia trie of items by position, as headers have for transactions and receipts. Items
 * are long enough that no node is embedded in its parent, and no key is a prefix of another.
 */
export const orderedRoot = (count: number, writer: RlpWriter, write: WriteItem): string => {
  if (count === 0) return EMPTY_ROOT;
  const keys = Array.from({ length: count }, (_, place) => keyAt(place, count));
  return `0x${Buffer.from(hashOf({ keys, writer, write }, 0, count, 0)).toString('hex')}`;
};

type Key = { readonly at: number; readonly nibbles: readonly number[] };
type Trie = { readonly keys: readonly Key[]; readonly writer: RlpWriter; readonly write: WriteItem };

/** In key order 0 comes after 127, because it is written as an empty string. */
const keyAt = (place: number, count: number): Key => {
  const zeroAt = Math.min(count, 128) - 1;
  const at = place < zeroAt ? place + 1 : place === zeroAt ? 0 : place;
  return { at, nibbles: nibblesOf(at) };
};

/** The RLP of the position, by halves of bytes. */
const nibblesOf = (at: number): readonly number[] => {
  if (at === 0) return [8, 0];
  if (at < 0x80) return [at >> 4, at & 0xf];
  if (at < 0x100) return [8, 1, at >> 4, at & 0xf];
  const rest = [(at >> 12) & 0xf, (at >> 8) & 0xf, (at >> 4) & 0xf, at & 0xf];
  return at < 0x10000 ? [8, 2, ...rest] : [8, 3, at >> 20, (at >> 16) & 0xf, ...rest];
};

/** The hash of the node for keys that are equal before `depth`. */
const hashOf = (trie: Trie, start: number, end: number, depth: number): Uint8Array => {
  const first = nibblesAt(trie, start);
  if (end - start === 1) return hashLeaf(trie, start, depth);
  const last = nibblesAt(trie, end - 1);
  let fork = depth;
  while (first[fork] === last[fork]) fork++;
  const branch = hashBranch(trie, start, end, fork);
  return fork === depth ? branch : hashPath(trie, first.slice(depth, fork), branch);
};

const nibblesAt = ({ keys }: Trie, place: number): readonly number[] => keys[place]?.nibbles ?? [];

const hashLeaf = ({ keys, writer, write }: Trie, place: number, depth: number): Uint8Array => {
  const key = keys[place];
  if (key === undefined) throw new Error('a leaf of a trie has a key');
  write(writer, key.at);
  writer.string(0);
  writer.bytes(packed(key.nibbles.slice(depth), LEAF));
  writer.list(0);
  return keccak(writer.take());
};

const hashBranch = (trie: Trie, start: number, end: number, depth: number): Uint8Array => {
  const children: (Uint8Array | null)[] = [];
  for (let nibble = 0, from = start; nibble < NIBBLES; nibble++) {
    let to = from;
    while (to < end && nibblesAt(trie, to)[depth] === nibble) to++;
    children.push(to === from ? null : hashOf(trie, from, to, depth + 1));
    from = to;
  }
  const { writer } = trie;
  writer.bytes(NOTHING);
  for (const child of children.toReversed()) writer.bytes(child ?? NOTHING);
  writer.list(0);
  return keccak(writer.take());
};

const hashPath = ({ writer }: Trie, nibbles: readonly number[], child: Uint8Array): Uint8Array => {
  writer.bytes(child);
  writer.bytes(packed(nibbles, PATH));
  writer.list(0);
  return keccak(writer.take());
};

const NOTHING = new Uint8Array();
const LEAF = 2;
const PATH = 0;

/** Two per byte, after a flag for leaf and odd length. */
const packed = (nibbles: readonly number[], leadsTo: number): Uint8Array => {
  const isOdd = nibbles.length % 2;
  const halves = isOdd ? [leadsTo + 1, ...nibbles] : [leadsTo, 0, ...nibbles];
  return Uint8Array.from(
    { length: halves.length / 2 },
    (_, at) => (halves[2 * at] ?? 0) * 16 + (halves[2 * at + 1] ?? 0),
  );
};
