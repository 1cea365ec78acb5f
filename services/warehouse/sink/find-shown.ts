import type { BlockHead } from '../../events/block-head.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../clauses/visible-rows.ts';
import { blockKey, hashKey, type IsShown, type StoredAs, type StoredPart } from './plan-batch.ts';

type Block = Pick<BlockHead, 'chain' | 'blockNumber'>;

/** What the tables show of some blocks. */
export type Shown = {
  readonly storedAs: StoredAs;
  readonly isShown: IsShown;
  /** The sequences of transactions that came without their block and are replaced by these. */
  readonly replacedBy: (blocks: readonly Block[]) => readonly number[];
};

/** A transaction that came without its block is no part of one. */
const NO_PARTS = 0;
const QUERY = `
SELECT number, hash, part, parts, sequence FROM blocks
WHERE chain = {chain:String} AND number IN {numbers:Array(UInt64)} AND ${VISIBLE_ROWS}
UNION ALL
SELECT block_number, hash, toUInt32(0), toUInt32(${NO_PARTS}), sequence FROM single_transactions
WHERE chain = {chain:String} AND block_number IN {numbers:Array(UInt64)} AND ${VISIBLE_ROWS}`;

type Row = readonly [number: string, hash: string, part: number, parts: number, sequence: string];

/** Asks the tables what they show of these blocks, in whole or of single transactions: one indexed query a chain. */
export const findShown = async (client: WarehouseClient, blocks: readonly Block[]): Promise<Shown> => {
  const stored = new Map<string, StoredPart[]>();
  const whole = new Set<string>();
  const alone = new Map<string, { hash: string; sequence: number }[]>();
  for (const [chain, ofChain] of Map.groupBy(blocks, (block) => block.chain)) {
    const numbers = [...new Set(ofChain.map((block) => block.blockNumber))];
    const answer = await client.query({
      query: QUERY,
      query_params: { chain, numbers },
      format: 'JSONCompactEachRow',
    });
    for (const [number, hash, part, parts, sequence] of await answer.json<Row>()) {
      const block = blockKey({ chain, blockNumber: Number(number) });
      if (parts === NO_PARTS) add(alone, block, { hash, sequence: Number(sequence) });
      else {
        whole.add(block);
        add(stored, hashKey({ chain, blockHash: hash }), { part, parts, sequence: Number(sequence) });
      }
    }
  }
  return {
    storedAs: (head) => stored.get(hashKey(head)) ?? [],
    isShown: (transaction) =>
      whole.has(blockKey(transaction)) ||
      (alone.get(blockKey(transaction)) ?? []).some(({ hash }) => hash === transaction.hash),
    replacedBy: (replacing) =>
      [...new Set(replacing.map(blockKey))].flatMap((key) =>
        (alone.get(key) ?? []).map(({ sequence }) => sequence),
      ),
  };
};

const add = <T>(lists: Map<string, T[]>, key: string, item: T): void => {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
};
