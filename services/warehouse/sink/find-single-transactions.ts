import type { BlockHead } from '../../events/block-head.ts';
import type { LoneTransaction } from '../../events/lone-transaction.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../clauses/visible-rows.ts';
import type { IsShown } from './plan-batch.ts';

const SINGLE = `
SELECT hash, sequence FROM single_transactions
WHERE chain = {chain:String} AND block_number IN {numbers:Array(UInt64)} AND ${VISIBLE_ROWS}`;

const WHOLE = `
SELECT DISTINCT number FROM blocks
WHERE chain = {chain:String} AND number IN {numbers:Array(UInt64)} AND ${VISIBLE_ROWS}`;

type Block = Pick<BlockHead, 'chain' | 'blockNumber'>;

const askByChain = async <T>(
  client: WarehouseClient,
  query: string,
  blocks: readonly Block[],
): Promise<{ chain: string; row: T }[]> => {
  const found: { chain: string; row: T }[] = [];
  for (const [chain, ofChain] of Map.groupBy(blocks, (block) => block.chain)) {
    const numbers = [...new Set(ofChain.map((block) => block.blockNumber))];
    const answer = await client.query({
      query,
      query_params: { chain, numbers },
      format: 'JSONCompactEachRow',
    });
    for (const row of await answer.json<T>()) found.push({ chain, row });
  }
  return found;
};

/** The sequences of visible transactions that came without one of these blocks: what the blocks replace. */
export const findReplaced = async (client: WarehouseClient, blocks: readonly Block[]): Promise<number[]> => {
  const found = await askByChain<[string, string]>(client, SINGLE, blocks);
  return found.map(({ row: [, sequence] }) => Number(sequence));
};

/** Asks the tables which of these transactions they show, alone or in their block. */
export const findShown = async (
  client: WarehouseClient,
  transactions: readonly LoneTransaction[],
): Promise<IsShown> => {
  const single = await askByChain<[string, string]>(client, SINGLE, transactions);
  const whole = await askByChain<[string]>(client, WHOLE, transactions);
  const hashes = new Set(single.map(({ chain, row: [hash] }) => `${chain}/${hash}`));
  const numbers = new Set(whole.map(({ chain, row: [number] }) => `${chain}/${number}`));
  return ({ chain, hash, blockNumber }) =>
    hashes.has(`${chain}/${hash}`) || numbers.has(`${chain}/${blockNumber}`);
};
