import { expect } from 'vitest';
import type { Flow, FlowPage, RowPosition, TransferReader } from '../investigate/model/transfer-reader.ts';
import { pagesOf } from './flow-pages.ts';
import { CHAINS, WALLETS } from './random-blocks.ts';

export const START: RowPosition = { blockTime: 0, blockNumber: 0, txIndex: 0, step: 0 };

export const END: RowPosition = {
  blockTime: 4_294_967_295,
  blockNumber: Number.MAX_SAFE_INTEGER,
  txIndex: 2_147_483_647,
  step: 0,
};

type Wallet = { readonly chain: string; readonly wallet: string };
export const everyWallet: readonly Wallet[] = CHAINS.flatMap((chain) =>
  [...WALLETS, 'stranger'].map((wallet) => ({ chain, wallet })),
);

const LIMITS = { signal: new AbortController().signal, timeoutMs: 20_000 };

/** All rows on one side of a wallet, page by page; no page may be larger than asked. */
export const drainFlows = async (
  reader: TransferReader,
  request: Wallet & { canonicalAsset: string; from: RowPosition; ownOnly?: boolean; transfersOnly?: boolean },
  limit: number,
  side: 'departures' | 'arrivals' = 'departures',
): Promise<Flow[]> => {
  const rows: Flow[] = [];
  const ask = pagesOf(reader, side);
  for (let from: RowPosition | null = request.from; from !== null; ) {
    const page: FlowPage = await ask({ ownOnly: false, ...request, from, limit, ...LIMITS });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...page.rows);
    from = page.next;
  }
  return rows;
};
