import { toCanonicalAsset } from '../../investigate/model/asset.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { TokenReader, Trade } from '../../investigate/model/token-reader.ts';
import { comparePlaces, compareTransactions } from '../../investigate/model/transfer-reader.ts';
import { toPlacedMovements } from './memory-case-reader.ts';

/** The token reader over blocks in memory: what every other reader must agree with. */
export const createMemoryTokenReader = (blocks: readonly DecodedBlock[]): TokenReader => {
  const rows = blocks.flatMap(toPlacedMovements).sort(comparePlaces);
  const rowsOf = (chain: string, token: string, fromBlock = 0) =>
    rows.filter((row) => row.chain === chain && row.canonicalAsset === token && row.blockNumber >= fromBlock);
  const balancesOf = (chain: string, token: string, fromBlock = 0): Map<string, bigint> => {
    const balances = new Map<string, bigint>();
    for (const { from, to, amountRaw } of rowsOf(chain, token, fromBlock)) {
      if (from !== null) balances.set(from, (balances.get(from) ?? 0n) - amountRaw);
      if (to !== null) balances.set(to, (balances.get(to) ?? 0n) + amountRaw);
    }
    return balances;
  };
  return {
    firstSeen: async ({ chain }, tokens) =>
      tokens.map((token) => {
        const [first] = rowsOf(chain, token);
        if (first === undefined) return null;
        const { blockTime, blockNumber, txIndex } = first;
        return { blockTime, blockNumber, txIndex };
      }),
    tokenMovements: async ({ chain, limit }, tokens) =>
      tokens.map(({ token, fromBlock, toUnixSeconds }) =>
        rowsOf(chain, token, fromBlock)
          .filter(({ blockTime }) => blockTime <= toUnixSeconds)
          .map(({ chain: _, ...row }) => row)
          .slice(0, limit),
      ),
    holders: async ({ chain, limit }, tokens) =>
      tokens.map(({ token, fromBlock }) => {
        const held = [...balancesOf(chain, token, fromBlock)]
          .filter(([, raw]) => raw > 0n)
          .sort((a, b) => (a[1] === b[1] ? (a[0] < b[0] ? -1 : 1) : a[1] > b[1] ? -1 : 1));
        return {
          supplyRaw: held.reduce((sum, [, raw]) => sum + raw, 0n),
          holders: held.length,
          top: held.slice(0, limit).map(([address, amountRaw]) => ({ address, amountRaw })),
        };
      }),
    balance: async ({ chain, canonicalAsset }, wallets) => {
      const held = balancesOf(chain, canonicalAsset);
      return wallets.map((wallet) => held.get(wallet) ?? null);
    },
    trades: async ({ chain, token, limit }, wallets) => {
      const trades = blocks
        .filter((block) => block.chain === chain)
        .flatMap((block) => tradesOf(block, token))
        .sort(compareTransactions);
      return wallets.map((wallet) => trades.filter((trade) => trade.wallet === wallet).slice(0, limit));
    },
  };
};

const tradesOf = (block: DecodedBlock, token: string): Trade[] => {
  const chain = findChain(block.chain);
  if (chain === null) throw new Error(`chain ${block.chain} is not known`);
  return block.swaps.flatMap((swap): Trade[] => {
    const [gave, got] = [toCanonicalAsset(chain, swap.gaveAsset), toCanonicalAsset(chain, swap.gotAsset)];
    if (gave === got || (gave !== token && got !== token)) return [];
    const isBuy = got === token;
    return [
      {
        blockTime: block.timeUnixSeconds ?? 0,
        blockNumber: block.number,
        txIndex: swap.txIndex,
        wallet: swap.owner,
        isBuy,
        tokenRaw: isBuy ? swap.gotRaw : swap.gaveRaw,
        otherAsset: isBuy ? gave : got,
        otherRaw: isBuy ? swap.gaveRaw : swap.gotRaw,
      },
    ];
  });
};
