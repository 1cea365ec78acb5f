import { sumOf } from '../investigate/model/amount.ts';
import { type CanonicalAsset, toCanonicalAsset } from '../investigate/model/asset.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { type Chain, findChain } from '../investigate/model/chain.ts';
import type { Label } from '../investigate/model/label.ts';
import { type Movement, NATIVE } from '../investigate/model/movement.ts';
import {
  type AssetSent,
  comparePlaces,
  compareRows,
  compareRowsBackward,
  compareTransactions,
  type Flow,
  type FlowPage,
  type FlowPlace,
  type FlowsOf,
  HAND_OVER_KINDS,
  type MaybePool,
  type PlacedBridgeTransfer,
  ReadFailedError,
  type RowPosition,
  type SwapFlow,
  TRANSFER_STEP,
  type TransactionPosition,
  type TransactionRow,
  type TransferFlow,
  type TransferReader,
  transactionKey,
} from '../investigate/model/transfer-reader.ts';
import { createIsAllowed } from './memory/is-allowed.ts';
import { isContract } from './memory/is-contract.ts';
import { type IndexedBlocks, spanOf } from './memory/span-of.ts';
import { withRoom } from './memory/with-room.ts';

type Row = RowPosition & {
  readonly chain: string;
  readonly canonicalAsset: CanonicalAsset;
  readonly txSender: string;
  readonly movement: Movement;
};
type AllowedRow = Row & {
  /** Whether a spender moved it whom its owner had allowed that. */
  readonly isAllowed: boolean;
};
type SwapSide = {
  readonly asset: string;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
};
type SwapRow = {
  readonly chain: string;
  readonly owner: string;
  readonly txSender: string;
  readonly position: RowPosition;
  readonly gave: SwapSide;
  readonly got: SwapSide;
  readonly through: string | null;
};
type Side = 'out' | 'in';

export type MemoryReaderOptions = IndexedBlocks & { readonly labels?: ReadonlyMap<string, Label> };

/** The transfer reader over blocks in memory: what every other reader must agree with. */
export const createMemoryReader = (
  blocks: readonly DecodedBlock[],
  options: MemoryReaderOptions = {},
): TransferReader => {
  const { labels = new Map() } = options;
  const placed = blocks.flatMap(toRows);
  const isAllowed = createIsAllowed(blocks, placed);
  const rows = placed.map((row) => ({ ...row, isAllowed: isAllowed(row) }));
  const swaps = blocks.flatMap(toSwapRows);
  const crossings = blocks.flatMap(toCrossings).sort(compareTransactions);
  const all: TransferReader = {
    flows: async (common, places) => {
      const since = (wallet: string, from: RowPosition): Flow[] => {
        const [side, compare] =
          common.side === 'departures'
            ? (['out', compareRows] as const)
            : (['in', compareRowsBackward] as const);
        return flowsOf({ rows, swaps }, { ...common, wallet }, side)
          .filter((row) => compare(row, from) >= 0)
          .sort(compare);
      };
      const pageOf = ({ wallet, from }: FlowPlace): FlowPage => {
        const page = toPage(since(wallet, from), common.limit);
        const paid = places.length === 1 ? paidSoMuch(common, page.rows) : [];
        const ahead = paid.map((payee) => [payee, since(payee, from)] as const);
        return ahead.length > 0 ? { ...page, ahead: new Map(ahead) } : page;
      };
      return places.map(pageOf);
    },
    swappers: async ({ chain, canonicalAsset, ownOnly, spans }) => {
      const gave = swaps.filter(
        (swap) =>
          swap.chain === chain &&
          swap.gave.canonicalAsset === canonicalAsset &&
          !(ownOnly && swap.txSender !== swap.owner),
      );
      const swapped = spans.filter(({ wallet, fromUnixSeconds, toUnixSeconds }) =>
        gave.some(
          ({ owner, position: { blockTime } }) =>
            owner === wallet && blockTime >= fromUnixSeconds && blockTime <= toUnixSeconds,
        ),
      );
      return new Set(swapped.map(({ wallet }) => wallet));
    },
    assetsSent: async ({ chain, wallet, sinceUnixSeconds }) => {
      const sent = handOvers(rows, { chain, wallet }, 'out');
      const since = sent.filter(({ blockTime }) => blockTime >= sinceUnixSeconds);
      return sumAssets(since, wallet, compareTransactions);
    },
    assetsReceived: async ({ chain, wallet, untilUnixSeconds }) => {
      const received = handOvers(rows, { chain, wallet }, 'in');
      const until = received.filter(({ blockTime }) => blockTime <= untilUnixSeconds);
      return sumAssets(until, wallet, (a, b) => compareTransactions(b, a));
    },
    farArrivals: async ({ chains, wallet, leastRaw, fromUnixSeconds, toUnixSeconds, limit }) => {
      return rows
        .filter(({ chain, canonicalAsset, movement: { amountRaw } }) => {
          const least = leastRaw.get(canonicalAsset);
          return chains.includes(chain) && least !== undefined && amountRaw >= least;
        })
        .filter(({ blockTime }) => blockTime >= fromUnixSeconds && blockTime <= toUnixSeconds)
        .filter(({ movement }) => isReceived(movement, wallet))
        .sort((a, b) => compareTransactions(a, b) || a.step - b.step)
        .map(({ chain, canonicalAsset, blockTime, blockNumber, txIndex, movement }) => ({
          ...{ chain, canonicalAsset, blockTime, blockNumber, txIndex },
          ...{ amountRaw: movement.amountRaw, payer: movement.from },
        }))
        .slice(0, limit);
    },
    bridgeTransfers: async ({ chain, positions }) => {
      const places = new Set(positions.map(({ blockNumber, txIndex }) => `${blockNumber}/${txIndex}`));
      return crossings
        .filter((crossing) => crossing.chain === chain)
        .filter(({ blockNumber, txIndex }) => places.has(`${blockNumber}/${txIndex}`));
    },
    bridgeMessages: async ({ messages }) => {
      const asked = new Set(messages.map(({ bridge, messageId }) => `${bridge}/${messageId}`));
      return crossings.filter(({ bridge, messageId }) => asked.has(`${bridge}/${messageId}`));
    },
    balance: async ({ chain, canonicalAsset }, wallets) => {
      const held = new Map<string | null, bigint>();
      for (const { movement, ...row } of rows) {
        if (row.chain !== chain || row.canonicalAsset !== canonicalAsset) continue;
        const { from, to, amountRaw } = movement;
        held.set(from, (held.get(from) ?? 0n) - amountRaw);
        held.set(to, (held.get(to) ?? 0n) + amountRaw);
      }
      return wallets.map((wallet) => held.get(wallet) ?? null);
    },
    lost: async ({ chain, canonicalAsset, ownOnly }, wallets) =>
      wallets.map(({ wallet, sinceUnixSeconds }) => {
        const left = rows
          .filter((row) => row.chain === chain && row.canonicalAsset === canonicalAsset)
          .filter(({ blockTime }) => blockTime >= sinceUnixSeconds)
          .filter(({ txSender, movement }) => movement.from === wallet && (!ownOnly || txSender === wallet))
          .map(({ movement }) => movement);
        return {
          burntRaw: sumOf(left.filter(({ kind }) => kind === 'burn')),
          feesRaw: sumOf(left.filter(({ kind }) => kind === 'fee')),
        };
      }),
    wholeTransactions: async ({ chain, limit }, positions) => {
      const byPlace = Map.groupBy(rowsAt(rows, { chain, positions }), transactionKey);
      const read = withRoom(positions, limit, (position) => byPlace.get(transactionKey(position)) ?? []);
      return read.map(
        (all) =>
          all?.filter(({ movement }) => isHandOver(movement)).map((row) => toTransactionRow(blocks, row)) ??
          null,
      );
    },
    transactionHashes: async ({ chain }, positions) =>
      positions.map((position) => hashOf(blocks, { chain, ...position })),
    contiguousRange: async (_, chains) => chains.map((chain) => spanOf(blocks, chain, options)),
    isKnown: async ({ chain }, wallets) =>
      wallets.map((wallet) => rows.some((row) => row.chain === chain && touches(row.movement, wallet))),
    pools: async ({ chain, recipients, canonicalAsset, payersMin }) => {
      const others = ({ address: wallet, leastRaw, ...time }: MaybePool, side: Side): number =>
        new Set(
          handOvers(rows, { chain, wallet }, side)
            .filter((row) => row.canonicalAsset === canonicalAsset && row.movement.amountRaw > leastRaw)
            .filter(({ blockTime }) => blockTime >= time.fromUnixSeconds && blockTime <= time.toUnixSeconds)
            .map(({ movement: { from, to } }) => (side === 'in' ? from : to)),
        ).size;
      const pools = recipients.filter(
        (recipient) =>
          (recipient.isLabelled || isContract(blocks, { chain, address: recipient.address })) &&
          others(recipient, 'in') >= payersMin &&
          others(recipient, 'out') !== 1,
      );
      return new Set(pools.map(({ address }) => address));
    },
    labels: async (_, addresses) => addresses.map((address) => labels.get(address) ?? null),
  };
  return refusingAborted(all);
};

type Place = TransactionPosition & { readonly chain: string };

const hashOf = (blocks: readonly DecodedBlock[], at: Place): string | null => {
  const block = blocks.find(
    ({ chain, number, timeUnixSeconds }) =>
      chain === at.chain && number === at.blockNumber && (timeUnixSeconds ?? 0) === at.blockTime,
  );
  return block?.transactions.find(({ txIndex }) => txIndex === at.txIndex)?.hash ?? null;
};

type At = { readonly chain: string; readonly positions: readonly TransactionPosition[] };

/** Of any kind. */
const rowsAt = (rows: readonly Row[], { chain, positions }: At): Row[] => {
  const places = new Set(positions.map(transactionKey));
  return rows
    .filter((row) => row.chain === chain && places.has(transactionKey(row)))
    .sort((a, b) => comparePlaces(a, b) || a.step - b.step);
};

const toTransactionRow = (blocks: readonly DecodedBlock[], row: Row): TransactionRow => {
  const { blockTime, blockNumber, txIndex, canonicalAsset, txSender: sender, movement } = row;
  const { from, to, amountRaw, authority } = movement;
  const place = { hash: hashOf(blocks, row) ?? '', blockTime, blockNumber, txIndex };
  return { ...place, sender, from: from ?? '', to: to ?? '', canonicalAsset, amountRaw, authority };
};

const refusingAborted = (reader: TransferReader): TransferReader =>
  new Proxy(reader, {
    get:
      (target, name: keyof TransferReader) =>
      async (...asked: readonly unknown[]) => {
        const { signal } = asked.at(-1) as { readonly signal: AbortSignal };
        if (signal.aborted) throw new ReadFailedError('aborted');
        return (target[name] as (...asked: readonly unknown[]) => Promise<unknown>)(...asked);
      },
  });

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
      canonicalAsset: toCanonicalAsset(chainOf(block), movement.asset),
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
    const sideOf = (asset: string, amountRaw: bigint): SwapSide => {
      return { asset, amountRaw, canonicalAsset: toCanonicalAsset(chainOf(block), asset) };
    };
    const { owner, through, txIndex, index: step } = swap;
    return {
      ...{ chain: block.chain, owner, through, txSender: transaction?.sender ?? '' },
      position: { blockTime: block.timeUnixSeconds ?? 0, blockNumber: block.number, txIndex, step },
      gave: sideOf(swap.gaveAsset, swap.gaveRaw),
      got: sideOf(swap.gotAsset, swap.gotRaw),
    };
  });

const toCrossings = (block: DecodedBlock): PlacedBridgeTransfer[] =>
  block.bridgeTransfers.map((transfer) => ({
    ...transfer,
    ...{ chain: block.chain, blockTime: block.timeUnixSeconds ?? 0, blockNumber: block.number },
    signature: block.transactions.find(({ txIndex }) => txIndex === transfer.txIndex)?.hash ?? '',
  }));

const flowsOf = (
  { rows, swaps }: { readonly rows: readonly AllowedRow[]; readonly swaps: readonly SwapRow[] },
  { chain, wallet, canonicalAsset, ownOnly, transfersOnly = false }: FlowsOf & { readonly wallet: string },
  side: Side,
): Flow[] => [
  ...handOvers(rows, { chain, wallet }, side)
    .filter((row) => row.canonicalAsset === canonicalAsset)
    .filter((row) => !ownOnly || row.txSender === wallet || (side === 'out' && row.isAllowed))
    .map((row) => toTransferFlow(row, side)),
  ...swaps
    .filter((row) => !transfersOnly && row.chain === chain && row.owner === wallet)
    .filter((row) => !ownOnly || row.txSender === wallet)
    .filter((row) => (side === 'out' ? row.gave : row.got).canonicalAsset === canonicalAsset)
    .map((row) => toSwapFlow(row, side)),
];

const paidSoMuch = ({ side, ownOnly, transfersOnly, aheadRaw }: FlowsOf, flows: readonly Flow[]): string[] =>
  flows.flatMap((flow) =>
    side === 'departures' &&
    !ownOnly &&
    transfersOnly &&
    aheadRaw !== undefined &&
    flow.type === 'transfer' &&
    flow.amountRaw >= aheadRaw
      ? [flow.counterparty]
      : [],
  );

const touches = ({ from, to }: Movement, wallet: string): boolean => from === wallet || to === wallet;

const handOvers = <R extends Row>(
  rows: readonly R[],
  { chain, wallet }: { readonly chain: string; readonly wallet: string },
  side: Side,
): R[] =>
  rows.filter(
    ({ chain: on, movement }) =>
      on === chain && isHandOver(movement) && wallet === (side === 'out' ? movement.from : movement.to),
  );

const isHandOver = ({ kind, from, to, amountRaw }: Movement): boolean =>
  (HAND_OVER_KINDS as readonly string[]).includes(kind) &&
  from !== null &&
  to !== null &&
  from !== to &&
  amountRaw > 0n;

const isReceived = ({ kind, from, to, amountRaw }: Movement, wallet: string): boolean => {
  if (to !== wallet || from === wallet || amountRaw === 0n) return false;
  return from === null ? kind === 'mint' : (HAND_OVER_KINDS as readonly string[]).includes(kind);
};

const toTransferFlow = (row: Row, side: Side): TransferFlow => {
  const { blockTime, blockNumber, txIndex, step, movement } = row;
  const { from, to, amountRaw } = movement;
  const position = { blockTime, blockNumber, txIndex, step };
  return { ...position, type: 'transfer', counterparty: (side === 'out' ? to : from) ?? '', amountRaw };
};

const toSwapFlow = ({ position, gave, got, through }: SwapRow, side: Side): SwapFlow => {
  const [moved, other] = side === 'out' ? [gave, got] : [got, gave];
  const exchanged = { otherAsset: other.asset, otherRaw: other.amountRaw };
  return { ...position, type: 'swap', amountRaw: moved.amountRaw, ...exchanged, through };
};

const toPage = (sorted: readonly Flow[], limit: number) => {
  const page = sorted.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined || sorted.length <= limit) return { rows: page, next: null };
  const { blockTime, blockNumber, txIndex, step } = last;
  return { rows: page, next: { blockTime, blockNumber, txIndex, step: step + 1 } };
};

const isWrapping = ({ chain, canonicalAsset, movement: { from, to } }: Row): boolean => {
  const wrapped = findChain(chain)?.wrappedNative;
  return canonicalAsset === NATIVE && (from === wrapped || to === wrapped);
};

const sumAssets = (
  rows: readonly AllowedRow[],
  wallet: string,
  compare: typeof compareTransactions,
): AssetSent[] =>
  [
    ...Map.groupBy(
      rows.filter((row) => !isWrapping(row)),
      ({ canonicalAsset }) => canonicalAsset,
    ),
  ].map(([canonicalAsset, of]) => {
    const all = sumRows(of, compare);
    if (all === null) throw new Error('a family without rows');
    const own = of.filter(
      ({ txSender, isAllowed, movement }) => txSender === wallet || (isAllowed && movement.from === wallet),
    );
    return { canonicalAsset, ...all, own: sumRows(own, compare) };
  });

const sumRows = (rows: readonly Row[], compare: typeof compareTransactions): AssetSent['own'] => {
  const [first] = rows.toSorted(compare);
  if (first === undefined) return null;
  const { blockTime, blockNumber, txIndex } = first;
  return {
    first: { blockTime, blockNumber, txIndex },
    sumRaw: rows.reduce((sum, { movement }) => sum + movement.amountRaw, 0n),
  };
};
