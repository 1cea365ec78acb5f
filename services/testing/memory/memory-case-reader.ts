import { toCanonicalAsset } from '../../investigate/model/asset.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { CaseReader, PlacedMovement } from '../../investigate/model/case-reader.ts';
import { findChain } from '../../investigate/model/chain.ts';
import {
  comparePlaces,
  compareTransactions,
  HAND_OVER_KINDS,
  type TransactionPosition,
  transactionKey,
} from '../../investigate/model/transfer-reader.ts';

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
    receipts: async ({ chain, wallet, limit, fromUnixSeconds, toUnixSeconds }) =>
      positionsOf(
        rows
          .filter((row) => row.chain === chain && row.to === wallet && isHandOver(row))
          .filter(({ blockTime }) => blockTime >= fromUnixSeconds && blockTime <= toUnixSeconds),
      ).slice(0, limit),
    signed: async ({ chain, wallet, limit, fromUnixSeconds, toUnixSeconds }) =>
      positionsOf(
        rows
          .filter((row) => row.chain === chain && row.kind === 'fee' && row.canonicalAsset === 'native')
          .filter((row) => row.from === wallet && row.sender === wallet)
          .filter(({ blockTime }) => blockTime >= fromUnixSeconds && blockTime <= toUnixSeconds),
      ).slice(0, limit),
    movementsAt: async ({ chain, positions, limit }) => {
      const places = new Set(positions.map(transactionKey));
      return rows
        .filter((row) => row.chain === chain && places.has(transactionKey(row)))
        .sort(comparePlaces)
        .map(({ chain: _, ...row }) => row)
        .slice(0, limit);
    },
    payments: async ({ chain, wallet, to, limit }) =>
      rows
        .filter((row) => row.chain === chain && row.from === wallet && isHandOver(row))
        .flatMap(({ to: payee, canonicalAsset, amountRaw, blockTime, blockNumber, txIndex }) =>
          payee !== null && to.includes(payee)
            ? [{ to: payee, canonicalAsset, amountRaw, blockTime, blockNumber, txIndex }]
            : [],
        )
        .sort(compareTransactions)
        .slice(0, limit),
    imitated: async ({ among }) => new Map([...imitated].filter(([victim]) => among.includes(victim))),
    handled: async ({ chain, holdings }) =>
      holdings.filter(({ wallet, canonicalAsset }) =>
        rows.some(
          (row) =>
            row.chain === chain &&
            row.sender === wallet &&
            row.canonicalAsset === canonicalAsset &&
            row.amountRaw > 0n &&
            (row.from === wallet || row.to === wallet),
        ),
      ),
    takenFrom: async ({ chain, holdings, sinceUnixSeconds, limit }) =>
      positionsOf(
        rows
          .filter((row) => row.chain === chain && isHandOver(row) && row.blockTime >= sinceUnixSeconds)
          .filter((row) => row.sender !== row.from)
          .filter(({ from, canonicalAsset }) =>
            holdings.some((each) => each.wallet === from && each.canonicalAsset === canonicalAsset),
          ),
      ).slice(0, limit),
    firstReceipts: async ({ chain, wallets }) =>
      new Map(
        wallets.flatMap((wallet) => {
          const received = rows.filter((row) => row.chain === chain && row.to === wallet && isHandOver(row));
          const [first] = positionsOf(received);
          return first === undefined ? [] : [[wallet, first] as const];
        }),
      ),
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
