import type { ReadRows } from '../../evidence/gather-rows.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';

/** Evidence from blocks in memory: what every other reader of it must agree with. */
export const createMemoryEvidence =
  (blocks: readonly DecodedBlock[]): ReadRows =>
  async (chain, transactions) =>
    blocks
      .filter((block) => block.chain === chain)
      .flatMap((block) =>
        block.movements.flatMap(({ txIndex, index, kind, from, to, asset, amountRaw }) => {
          const transaction = block.transactions.find((each) => each.txIndex === txIndex)?.hash;
          if (transaction === undefined || !transactions.includes(transaction)) return [];
          const place = { chain, block: block.number, block_hash: block.hash, time: block.timeUnixSeconds };
          return [{ ...place, transaction, index, kind, from, to, asset, amount_raw: String(amountRaw) }];
        }),
      );
