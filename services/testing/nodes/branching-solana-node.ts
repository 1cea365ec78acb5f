import { createWorld, type WorldOptions } from '../../demo-world/create-world.ts';
import { type ScriptedAnswer, type ScriptedCall, startScriptedNode } from './scripted-node.ts';

/** What `getBlock` answers, as far as branches differ in it. */
type Result = {
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly transactions: readonly unknown[];
};
type Block = { readonly slot: number; readonly result: Result };

export type BranchingNode = {
  readonly url: string;
  readonly firstSlot: number;
  /** Every request so far: the methods it asked for. */
  readonly requests: readonly (readonly string[])[];
  /** The newest blocks that it shows, oldest first. */
  newest(count: number): readonly Block[];
  /** Shows the chain up to its block at this place. Gives that block's hash. */
  follow(place: number): string;
  /** Shows another branch up to the same place, which left the chain behind the block at `forkedAt`. */
  fork(forkedAt: number, place: number): string;
};

const SKIPPED = { code: -32_007, message: 'Slot was skipped, or missing due to ledger jump' };
const NOT_YET = { code: -32_004, message: 'Block not available for slot' };

/** A node of Solana on 127.0.0.1 that changes its mind between branches of a generated world. Ends with the test. */
export const startBranchingNode = async (options: WorldOptions): Promise<BranchingNode> => {
  const chain = solanaBlocks(options);
  let shown: readonly Block[] = [];
  const show = (blocks: readonly Block[]): string => {
    shown = blocks;
    return blocks.at(-1)?.result.blockhash ?? '';
  };
  const { url, requests } = await startScriptedNode({ answer: (call) => answer(shown, call) });
  return {
    url,
    requests,
    newest: (count) => shown.slice(-count),
    firstSlot: chain[0]?.slot ?? 0,
    follow: (place) => show(chain.slice(0, place + 1)),
    fork: (forkedAt, place) => show([...chain.slice(0, forkedAt + 1), ...branchOf(chain, forkedAt, place)]),
  };
};

const chains = new Map<string, readonly Block[]>();

/** Most tests ask for the same world, and writing it takes a second. */
const solanaBlocks = (options: WorldOptions): readonly Block[] => {
  const key = JSON.stringify(options);
  const known = chains.get(key);
  if (known !== undefined) return known;
  const chain = [...createWorld(options).blocks()].flatMap((block) =>
    block.family === 'solana' ? [{ slot: block.number, result: block.result }] : [],
  );
  chains.set(key, chain);
  return chain;
};

/** Its first slot is skipped, its blocks have other hashes and the first half of the transactions. */
const branchOf = (chain: readonly Block[], forkedAt: number, place: number): Block[] => {
  let parent = chain[forkedAt];
  return chain.slice(forkedAt + 2, place + 1).map(({ slot, result }) => {
    const own = {
      ...result,
      blockhash: [...result.blockhash].reverse().join(''),
      previousBlockhash: parent?.result.blockhash ?? '',
      parentSlot: parent?.slot ?? 0,
      transactions: result.transactions.slice(0, Math.ceil(result.transactions.length / 2)),
    };
    parent = { slot, result: own };
    return parent;
  });
};

const answer = (shown: readonly Block[], { method, params }: ScriptedCall): ScriptedAnswer => {
  const tip = shown.at(-1)?.slot ?? 0;
  const slot = Number(params[0]);
  if (method === 'getSlot') return { result: tip };
  if (method === 'getBlocksWithLimit') {
    const later = shown.map((block) => block.slot).filter((each) => each >= slot);
    return { result: later.slice(0, Number(params[1])) };
  }
  const block = shown.find((each) => each.slot === slot);
  if (block) return { result: block.result };
  return { error: slot > tip ? NOT_YET : SKIPPED };
};
