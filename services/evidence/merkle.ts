import { createHash } from 'node:crypto';

const hash = (...parts: readonly Uint8Array[]): Buffer => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
};
// A leaf can never pass for a node.
const [LEAF, NODE] = [Buffer.from([0]), Buffer.from([1])];

const leafOf = (line: string): Buffer => hash(LEAF, Buffer.from(line));
const split = (count: number): number => 2 ** Math.floor(Math.log2(count - 1));

const rootOf = (leaves: readonly Buffer[]): Buffer => {
  const [first] = leaves;
  if (first === undefined) return hash();
  if (leaves.length === 1) return first;
  const middle = split(leaves.length);
  return hash(NODE, rootOf(leaves.slice(0, middle)), rootOf(leaves.slice(middle)));
};

const pathOf = (leaves: readonly Buffer[], index: number): Buffer[] => {
  if (leaves.length === 1) return [];
  const middle = split(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return index < middle
    ? [...pathOf(left, index), rootOf(right)]
    : [...pathOf(right, index - middle), rootOf(left)];
};

/** The root over lines, in hexadecimal digits: the tree of RFC 6962, section 2.1. */
export const merkleRoot = (lines: readonly string[]): string => rootOf(lines.map(leafOf)).toString('hex');

/** What proves that a line is the one at `index`, from the leaf up. */
export const merkleProof = (lines: readonly string[], index: number): string[] =>
  pathOf(lines.map(leafOf), index).map((each) => each.toString('hex'));

/** The root that a line and its proof lead to (RFC 9162, section 2.1.3.2). */
export const rootOfProof = (
  line: string,
  {
    index,
    size,
    proof,
  }: { readonly index: number; readonly size: number; readonly proof: readonly string[] },
): string => {
  let [place, last] = [index, size - 1];
  let node = leafOf(line);
  for (const hex of proof) {
    const other = Buffer.from(hex, 'hex');
    if (place % 2 === 1 || place === last) {
      node = hash(NODE, other, node);
      // The last place of a row without a partner moves up as it is.
      while (place % 2 === 0 && place > 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else node = hash(NODE, node, other);
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return node.toString('hex');
};
