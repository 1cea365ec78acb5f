import type { BlockSource } from '../../ingest/nodes/block-source.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { buildBlock } from '../build-block.ts';

/** A chain that changes its mind: as a node shows it, block by block. */
export class ForkingChain implements BlockSource {
  readonly chain = 'solana';
  #blocks: readonly DecodedBlock[] = [];
  #forks = 0;

  /** Oldest first; numbers between them were skipped. An old branch comes back by being set again. */
  get blocks(): readonly DecodedBlock[] {
    return this.#blocks;
  }

  set blocks(blocks: readonly DecodedBlock[]) {
    this.#forks += 1;
    this.#blocks = blocks;
  }

  get tip(): DecodedBlock {
    const tip = this.#blocks.at(-1);
    if (!tip) throw new Error('the chain has no block yet');
    return tip;
  }

  /** One block for each step: how many numbers further it stands. */
  grow(...steps: readonly number[]): void {
    for (const step of steps) {
      const parent = this.#blocks.at(-1);
      this.#blocks = [...this.#blocks, blockOn(parent, (parent?.number ?? 100) + step, this.#forks)];
    }
  }

  /** Abandons its newest blocks, all of them at most: what grows from here on is another branch. */
  abandon(depth: number): void {
    this.blocks = this.#blocks.slice(0, Math.max(0, this.#blocks.length - depth));
  }

  async head(): Promise<number> {
    return this.tip.number;
  }

  async fetch(number: number) {
    if (number > this.tip.number) return { status: 'not_yet' } as const;
    const decoded = this.#blocks.find((block) => block.number === number);
    return decoded ? ({ status: 'block', decoded } as const) : ({ status: 'skipped' } as const);
  }
}

/** What it moved tells its branch. */
const blockOn = (parent: DecodedBlock | undefined, number: number, fork: number): DecodedBlock => ({
  ...buildBlock({
    chain: 'solana',
    number,
    timeUnixSeconds: 1_700_000_000 + number,
    transactions: [0, 1].map((tx) => ({
      hash: `tx-${number}-${tx}-${fork}`,
      sender: `wallet-${tx}`,
      movements: [{ from: `wallet-${tx}`, to: `branch-${fork}`, amountRaw: BigInt(number * 100 + fork) }],
    })),
  }),
  hash: `block-${number}-${fork}`,
  parentHash: parent?.hash ?? 'genesis',
  parentNumber: parent?.number ?? 0,
});
