import { toCanonicalAsset } from '../../investigate/model/asset.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { CaseReader, PlacedMovement } from '../../investigate/model/case-reader.ts';
import { findChain } from '../../investigate/model/chain.ts';
import {
  compareTransactions,
  HAND_OVER_KINDS,
  type TransactionPosition,
  transactionKey,
} from '../../investigate/model/transfer-reader.ts';
import { withRoom } from './with-room.ts';

type Row = PlacedMovement & { readonly chain: string };

export type MemoryCaseOptions = {
  /** By who paid the look-alike, the address that it imitates. */
  readonly imitated?: ReadonlyMap<string, string>;
};

/** The case reader over blocks in memory: what every other reader must agree with. */
export const createMemoryCaseReader = (
  blocks: readonly DecodedBlock[],
  { imitated = new Map() }: MemoryCaseOptions = {},
): CaseReader => {
  const rows = blocks.flatMap(toPlacedMovements);
  return {
    receipts: async ({ chain, limit, fromUnixSeconds, toUnixSeconds }, wallets) =>
      wallets.map((wallet) =>
        positionsOf(
          rows
            .filter((row) => row.chain === chain && row.to === wallet && isHandOver(row))
            .filter(({ blockTime }) => blockTime >= fromUnixSeconds && blockTime <= toUnixSeconds),
        ).slice(0, limit),
      ),
    signed: async ({ chain, limit, fromUnixSeconds, toUnixSeconds }, wallets) =>
      wallets.map((wallet) =>
        positionsOf(
          rows
            .filter((row) => row.chain === chain && row.kind === 'fee' && row.canonicalAsset === 'native')
            .filter((row) => row.from === wallet && row.sender === wallet)
            .filter(({ blockTime }) => blockTime >= fromUnixSeconds && blockTime <= toUnixSeconds),
        ).slice(0, limit),
      ),
    movementsAt: async ({ chain, limit }, positions) => {
      const byPlace = Map.groupBy(
        rows.filter((row) => row.chain === chain),
        transactionKey,
      );
      const read = withRoom(positions, limit, (position) => byPlace.get(transactionKey(position)) ?? []);
      return read.map((of) => of?.map(({ chain: _, ...row }) => row) ?? null);
    },
    payments: async ({ chain, wallet, limit }, to) => {
      const paid = rows
        .filter((row) => row.chain === chain && row.from === wallet && isHandOver(row))
        .sort(compareTransactions)
        .flatMap(({ to: payee, canonicalAsset, amountRaw, blockTime, blockNumber, txIndex }) =>
          payee === null ? [] : [{ to: payee, canonicalAsset, amountRaw, blockTime, blockNumber, txIndex }],
        );
      return to.map((payee) => paid.filter((payment) => payment.to === payee).slice(0, limit));
    },
    imitated: async (_, among) => among.map((victim) => imitated.get(victim) ?? null),
    handled: async ({ chain }, holdings) =>
      holdings.map(({ wallet, canonicalAsset }) =>
        rows.some(
          (row) =>
            row.chain === chain &&
            row.sender === wallet &&
            row.canonicalAsset === canonicalAsset &&
            row.amountRaw > 0n &&
            (row.from === wallet || row.to === wallet),
        ),
      ),
    takenFrom: async ({ chain, limit }, asked) =>
      asked.map(({ holdings, sinceUnixSeconds }) =>
        positionsOf(
          rows
            .filter((row) => row.chain === chain && isHandOver(row) && row.blockTime >= sinceUnixSeconds)
            .filter((row) => row.sender !== row.from)
            .filter(({ from, canonicalAsset }) =>
              holdings.some((each) => each.wallet === from && each.canonicalAsset === canonicalAsset),
            ),
        ).slice(0, limit),
      ),
    firstReceipts: async ({ chain }, wallets) =>
      wallets.map((wallet) => {
        const received = rows.filter((row) => row.chain === chain && row.to === wallet && isHandOver(row));
        return positionsOf(received)[0] ?? null;
      }),
  };
};

const isHandOver = ({ kind, from, to, amountRaw }: Row): boolean =>
  (HAND_OVER_KINDS as readonly string[]).includes(kind) &&
  from !== null &&
  to !== null &&
  from !== to &&
  amountRaw > 0n;

const positionsOf = (rows: readonly Row[]): TransactionPosition[] => {
  const positions = rows.map(({ blockTime, blockNumber, txIndex }) => ({ blockTime, blockNumber, txIndex }));
  return [...new Map(positions.map((each) => [transactionKey(each), each])).values()].sort(
    compareTransactions,
  );
};

/** Every movement of a block, in its order. */
export const toPlacedMovements = (block: DecodedBlock): Row[] => {
  const chain = findChain(block.chain);
  if (chain === null) throw new Error(`chain ${block.chain} is not known`);
  return block.movements.map(({ txIndex, asset, index: _, ...movement }) => {
    const transaction = block.transactions.find((each) => each.txIndex === txIndex);
    return {
      ...movement,
      chain: block.chain,
      canonicalAsset: toCanonicalAsset(chain, asset),
      blockTime: block.timeUnixSeconds ?? 0,
      blockNumber: block.number,
      txIndex: txIndex ?? -1,
      hash: transaction?.hash ?? '',
      sender: transaction?.sender ?? '',
    };
  });
};
