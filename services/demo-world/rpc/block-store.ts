import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { WorldBlock } from '../chain-side.ts';
import type { World } from '../create-world.ts';

/** The JSON text of one part of a block, as a node would send it. */
export type BlockPart = 'block' | 'receipts' | 'traces';

/**
 * The world's blocks, generated on demand and kept in one file, so memory holds one position per block. `null` for
 * missing blocks. Long generations yield to other work between blocks, and fail when the store is closed.
 */
export type BlockStore = {
  readonly read: (chain: string, number: number, part: BlockPart) => Promise<string | null>;
  /** Block and index of an already generated EVM transaction. */
  readonly findTransaction: (hash: string) => { number: number; index: number } | null;
  /** The number of an already generated EVM block. */
  readonly findBlock: (hash: string) => number | null;
  /** Generates the rest of the world, which completes its truth. */
  readonly complete: () => Promise<void>;
  readonly close: () => void;
};

const TURN_MS = 20;

type Place = { readonly at: number; readonly bytes: number };

const partsOf = (block: WorldBlock): Partial<Record<BlockPart, unknown>> =>
  block.family === 'solana'
    ? { block: block.result }
    : { block: block.block, receipts: block.receipts, traces: block.traces };

export const createBlockStore = (world: World): BlockStore => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-world-'));
  const file = openSync(join(folder, 'blocks'), 'w+');
  // The file is unlinked while open, so nothing is left behind however the process ends.
  rmSync(folder, { recursive: true });
  const places = new Map<string, Place>();
  const transactions = new Map<string, { number: number; index: number }>();
  const numbers = new Map<string, number>();
  const generated = new Map<string, number>();
  const blocks = world.blocks();
  let end = 0;
  let done = false;
  let isClosed = false;
  const keep = (block: WorldBlock): void => {
    for (const [part, value] of Object.entries(partsOf(block))) {
      const bytes = Buffer.from(JSON.stringify(value));
      writeFileSync(file, bytes);
      places.set(`${block.chain} ${block.number} ${part}`, { at: end, bytes: bytes.length });
      end += bytes.length;
    }
    if (block.family === 'evm') {
      numbers.set(block.block.hash, block.number);
      for (const [index, { txHash }] of block.traces.entries()) {
        transactions.set(txHash, { number: block.number, index });
      }
    }
    generated.set(block.chain, block.number);
  };
  const generateOne = (): void => {
    const next = blocks.next();
    if (next.done === true) done = true;
    else keep(next.value);
  };
  const generateUntil = async (isEnough: () => boolean): Promise<void> => {
    let turnMs = performance.now();
    while (!done && !isEnough()) {
      generateOne();
      if (performance.now() - turnMs < TURN_MS) continue;
      await turn();
      if (isClosed) throw new Error('the world is closed');
      turnMs = performance.now();
    }
  };
  return {
    read: async (chain, number, part) => {
      const range = world.range[chain];
      if (range === undefined || number < range.first || number > range.last) return null;
      await generateUntil(() => (generated.get(chain) ?? -1) >= number);
      const place = places.get(`${chain} ${number} ${part}`);
      if (place === undefined) return null;
      const bytes = Buffer.alloc(place.bytes);
      readSync(file, bytes, 0, place.bytes, place.at);
      return bytes.toString('utf8');
    },
    findTransaction: (hash) => transactions.get(hash) ?? null,
    findBlock: (hash) => numbers.get(hash) ?? null,
    complete: () => generateUntil(() => false),
    close: () => {
      isClosed = true;
      closeSync(file);
    },
  };
};
