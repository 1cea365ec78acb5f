import { type AssetFamily, assetFamily } from '../investigate/model/asset.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { type Chain, findChain } from '../investigate/model/chain.ts';
import type { Label } from '../investigate/model/label.ts';
import type { Movement } from '../investigate/model/movement.ts';
import {
  compareRows,
  compareTransactions,
  type Departure,
  type FamilySent,
  HAND_OVER_KINDS,
  ReadFailedError,
  type RowPosition,
  type SwapOut,
  TRANSFER_STEP,
  type TransferOut,
  type TransferReader,
} from '../investigate/model/transfer-reader.ts';

type Row = RowPosition & {
  readonly chain: string;
  readonly family: AssetFamily;
  readonly txSender: string;
  readonly movement: Movement;
};
type SwapRow = SwapOut & {
  readonly chain: string;
  readonly owner: string;
  readonly txSender: string;
  readonly gaveFamily: AssetFamily;
};

export type MemoryReaderOptions = { readonly labels?: ReadonlyMap<string, Label> };

/** The transfer reader over blocks in memory: what every other reader must agree with. */
export const createMemoryReader = (
  blocks: readonly DecodedBlock[],
  { labels = new Map() }: MemoryReaderOptions = {},
): TransferReader => {
  const rows = blocks.flatMap(toRows);
  const swaps = blocks.flatMap(toSwapRows);
  const decimals = new Map(
    blocks.flatMap(({ chain, assets }) => assets.map((fact) => [`${chain}:${fact.asset}`, fact.decimals])),
  );
  return {
    departures: async ({ chain, wallet, family, ownOnly, from, limit, signal }) => {
      refuseAborted(signal);
      const sorted = [
        ...handOvers(rows, chain, wallet)
          .filter((row) => row.family === family && (!ownOnly || row.txSender === wallet))
          .map(toTransferOut),
        ...swaps
          .filter((row) => row.chain === chain && row.owner === wallet && row.gaveFamily === family)
          .filter((row) => !ownOnly || row.txSender === wallet)
          .map(toSwapOut),
      ]
        .filter((row) => compareRows(row, from) >= 0)
        .sort(compareRows);
      return toPage(sorted, limit);
    },
    familiesSent: async ({ chain, wallet, sinceUnixSeconds, signal }) => {
      refuseAborted(signal);
      const sent = handOvers(rows, chain, wallet).filter(({ blockTime }) => blockTime >= sinceUnixSeconds);
      return [...Map.groupBy(sent, ({ family }) => family)].map(([family, of]) =>
        sumFamily(family, wallet, of),
      );
    },
    balance: async ({ chain, wallet, family, signal }) => {
      refuseAborted(signal);
      const touching = rows.filter(
        (row) => row.chain === chain && row.family === family && touches(row.movement, wallet),
      );
      if (touching.length === 0) return null;
      return touching.reduce((sum, { movement: { from, to, amountRaw } }) => {
        const received = to === wallet ? amountRaw : 0n;
        return sum + received - (from === wallet ? amountRaw : 0n);
      }, 0n);
    },
    transactionHashes: async ({ chain, positions, signal }) => {
      refuseAborted(signal);
      return positions.map(({ blockNumber, txIndex }) => hashOf(blocks, { chain, blockNumber, txIndex }));
    },
    isKnown: async ({ chain, wallet, signal }) => {
      refuseAborted(signal);
      return rows.some((row) => row.chain === chain && touches(row.movement, wallet));
    },
    decimals: async ({ chain, asset, signal }) => {
      refuseAborted(signal);
      return decimals.get(`${chain}:${asset}`) ?? null;
    },
    labels: async ({ addresses, signal }) => {
      refuseAborted(signal);
      return new Map([...labels].filter(([address]) => addresses.includes(address)));
    },
  };
};

type Place = { readonly chain: string; readonly blockNumber: number; readonly txIndex: number };

const hashOf = (blocks: readonly DecodedBlock[], at: Place): string | null => {
  const block = blocks.find(({ chain, number }) => chain === at.chain && number === at.blockNumber);
  return block?.transactions.find(({ txIndex }) => txIndex === at.txIndex)?.hash ?? null;
};

const refuseAborted = (signal: AbortSignal): void => {
  if (signal.aborted) throw new ReadFailedError('aborted');
};

const chainOf = ({ chain }: DecodedBlock): Chain => {
  const found = findChain(chain);
  if (found === null) throw new Error(`chain ${chain} is not known`);
  return found;
};

const toRows = (block: DecodedBlock): Row[] =>
  block.movements.map((movement) => {
    const transaction = block.transactions.find(({ txIndex }) => txIndex === movement.txIndex);
    return {
      chain: block.chain,
      family: assetFamily(chainOf(block), movement.asset),
      blockTime: block.timeUnixSeconds ?? 0,
      blockNumber: block.number,
      txIndex: movement.txIndex ?? Number.MAX_SAFE_INTEGER,
      step: TRANSFER_STEP + movement.index,
      txSender: transaction?.sender ?? '',
      movement,
    };
  });

const toSwapRows = (block: DecodedBlock): SwapRow[] =>
  block.swaps.map((swap) => {
    const transaction = block.transactions.find(({ txIndex }) => txIndex === swap.txIndex);
    return {
      type: 'swap',
      chain: block.chain,
      owner: swap.owner,
      txSender: transaction?.sender ?? '',
      gaveFamily: assetFamily(chainOf(block), swap.gaveAsset),
      blockTime: block.timeUnixSeconds ?? 0,
      blockNumber: block.number,
      txIndex: swap.txIndex,
      step: swap.index,
      gaveRaw: swap.gaveRaw,
      gotAsset: swap.gotAsset,
      through: swap.through,
    };
  });

const touches = ({ from, to }: Movement, wallet: string): boolean => from === wallet || to === wallet;

const handOvers = (rows: readonly Row[], chain: string, wallet: string): Row[] =>
  rows.filter(({ chain: on, movement: { kind, from, to, amountRaw } }) => {
    const handedOver = (HAND_OVER_KINDS as readonly string[]).includes(kind);
    return on === chain && handedOver && from === wallet && to !== null && to !== wallet && amountRaw > 0n;
  });

const toTransferOut = (row: Row): TransferOut => {
  const { blockTime, blockNumber, txIndex, step, movement } = row;
  const { to, amountRaw } = movement;
  const position = { blockTime, blockNumber, txIndex, step };
  return { ...position, type: 'transfer', to: to ?? '', amountRaw };
};

const toSwapOut = (row: SwapRow): SwapOut => {
  const { type, blockTime, blockNumber, txIndex, step, gaveRaw, gotAsset, through } = row;
  return { type, blockTime, blockNumber, txIndex, step, gaveRaw, gotAsset, through };
};

const toPage = (sorted: readonly Departure[], limit: number) => {
  const page = sorted.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined || sorted.length <= limit) return { rows: page, next: null };
  const { blockTime, blockNumber, txIndex, step } = last;
  return { rows: page, next: { blockTime, blockNumber, txIndex, step: step + 1 } };
};

const sumFamily = (family: AssetFamily, wallet: string, rows: readonly Row[]): FamilySent => {
  const own = rows.filter(({ txSender }) => txSender === wallet);
  const all = sumRows(rows);
  if (all === null) throw new Error('a family without rows');
  return { family, ...all, own: sumRows(own) };
};

const sumRows = (rows: readonly Row[]): FamilySent['own'] => {
  const [first] = rows.toSorted(compareTransactions);
  if (first === undefined) return null;
  const { blockTime, blockNumber, txIndex } = first;
  return {
    first: { blockTime, blockNumber, txIndex },
    sumRaw: rows.reduce((sum, { movement }) => sum + movement.amountRaw, 0n),
  };
};
