import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { readRealParts } from '../../testing/evm/real-evm-blocks.ts';
import { describeWithSharedData } from '../../testing/shared-data.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { decodeEvmBlock } from './decode-evm-block.ts';

/** Small real blocks that between them hold every part: rewards, fees, traces, logs, deposits, wrapping. */
const SOURCES = [
  { chain: 'ethereum', number: '13998626' },
  { chain: 'base', number: '2000000' },
  { chain: 'arbitrum', number: '150000000' },
];

const damage = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  '0x',
  '0xzz',
  '0x0',
  `0x${'f'.repeat(64)}`,
  `0x${'F'.repeat(40)}`,
  `0x${'f'.repeat(400)}`,
  -1,
  1e300,
  Number.NaN,
  true,
  [],
  {},
  [null],
  ['0x1', 2],
  { from: 1, calls: [{}] },
  // What a text is made of may be no function.
  { toString: 1, valueOf: 1 },
);

const NOBODY = `0x${'0'.repeat(40)}`;

type Node = Record<string, unknown>;

/** Replaces one value somewhere inside; `path` picks a child at each level, and the walk ends where it runs out. */
const mutate = (root: Node, path: readonly number[], value: unknown): void => {
  let node = root;
  for (const step of path) {
    const keys = Object.keys(node);
    const key = keys[step % Math.max(keys.length, 1)];
    if (key === undefined) return;
    const child = node[key];
    if (typeof child === 'object' && child !== null && step % 7 !== 0) node = child as Node;
    else {
      node[key] = structuredClone(value);
      return;
    }
  }
};

const checkRows = ({ movements, transactions, problems, exempt }: DecodedBlock): void => {
  for (const { amountRaw, from, to, txIndex } of movements) {
    expect(amountRaw >= 0n && amountRaw < 2n ** 256n).toBe(true);
    for (const party of [from, to]) expect(party ?? NOBODY).toMatch(/^0x[0-9a-f]{40}$/);
    expect(txIndex === null || transactions.some((tx) => tx.txIndex === txIndex)).toBe(true);
  }
  const exempted = Object.values(exempt).flat();
  for (const { txIndex } of problems) expect(txIndex === null || exempted.includes(txIndex)).toBe(true);
};

describeWithSharedData('damaged real blocks', () => {
  const inputs = SOURCES.map((source) => ({ chain: source.chain, ...readRealParts(source) }));

  test('raise nothing but the typed error, or decode to well-formed rows with the problems named', () => {
    const seen = { refused: 0, problems: 0 };
    const decodeDamaged = (which: number, mutations: readonly [number[], unknown][]): void => {
      const { chain = '', ...parts } = structuredClone(inputs[which]) ?? {};
      for (const [path, value] of mutations) mutate(parts, path, value);
      try {
        const decoded = decodeEvmBlock({ chain, block: null, receipts: null, traces: null, ...parts });
        seen.problems += decoded.problems.length;
        checkRows(decoded);
      } catch (error) {
        if (!(error instanceof BlockFormatError)) throw error;
        seen.refused++;
      }
    };
    const mutation = fc.tuple(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 9 }), damage);
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 4 });
    fc.assert(fc.property(fc.nat(inputs.length - 1), mutations, decodeDamaged), { numRuns: 1_500 });
    expect(seen.refused).toBeGreaterThan(20);
    expect(seen.problems).toBeGreaterThan(20);
  });

  test('calls nested beyond what the EVM allows are a problem, not an exhausted stack', () => {
    const { block, receipts, traces } = readRealParts({ chain: 'ethereum', number: '13998626' });
    let frame: Node = { type: 'CALL', input: '0x' };
    for (let depth = 0; depth < 100_000; depth++) frame = { type: 'CALL', input: '0x', calls: [frame] };
    const [first] = traces as { result: Node }[];
    if (first !== undefined) first.result.calls = [frame];
    const { problems } = decodeEvmBlock({ chain: 'ethereum', block, receipts, traces });
    expect(problems).toMatchObject([{ code: 'trace_malformed', txIndex: 0 }]);
  });
});
