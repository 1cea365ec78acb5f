import { countUpTo } from '../../demo-world/count-up-to.ts';
import { type CanonicalAsset, toCanonicalAsset } from '../../investigate/model/asset.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { Label } from '../../investigate/model/label.ts';
import type {
  Direction,
  Neighbour,
  Service,
  ServiceTransfer,
  TimeRange,
  TraceReader,
  WalletSide,
} from '../../investigate/model/trace-reader.ts';
import {
  compareTransactions,
  HAND_OVER_KINDS,
  type TransactionPosition,
  type TransactionRow,
} from '../../investigate/model/transfer-reader.ts';
import { withRoom } from './with-room.ts';

export type MemoryTraceOptions = {
  /** By address, on every chain. */
  readonly services?: ReadonlyMap<string, Service>;
  readonly labels?: ReadonlyMap<string, Label>;
  /** Times, on every chain, from a block to the next that is there. */
  readonly gaps?: readonly TimeRange[];
  /** On every chain blocks are known from then on, in unix seconds: what is earlier are single transactions of wallets that were asked about. */
  readonly blocksSince?: number;
};

/** One side of a row; lists of them are in order of time, with the times beside them for searching. */
type Side = { readonly row: TransactionRow; readonly direction: Direction };
type Timeline = { readonly sides: Side[]; readonly times: number[] };

/** The trace reader over blocks in memory, in the order given: what every other reader must agree with. */
export const createMemoryTraceReader = (
  blocks: Iterable<DecodedBlock>,
  { services = new Map(), labels = new Map(), gaps = [], blocksSince = 0 }: MemoryTraceOptions = {},
): TraceReader => {
  const { byWallet, byTransaction, places, hashes, spans } = indexBlocks(blocks);
  const sidesOf = (chain: string, wallet: string): Timeline => byWallet.get(`${chain} ${wallet}`) ?? EMPTY;
  const neighboursOf = (
    chain: string,
    { wallet, direction }: WalletSide,
    canonicalAssets: readonly CanonicalAsset[],
    leastRaw: readonly bigint[] = [],
  ) =>
    toNeighbours(
      wallet,
      direction,
      sidesOf(chain, wallet).sides.filter(({ row }) => isInEarnest(row, canonicalAssets, leastRaw)),
    );
  const walletsOf = (entity: string): string[] =>
    [...services].filter(([, service]) => service.entity === entity).map(([address]) => address);
  return {
    transaction: async ({ chain, canonicalAssets, limit }, signatures) =>
      signatures.map((signature) => {
        const place = places.get(`${chain} ${signature}`);
        if (place === undefined) return null;
        const isAsked = ({ canonicalAsset }: TransactionRow): boolean =>
          canonicalAssets?.includes(canonicalAsset) ?? true;
        const rows = (byTransaction.get(place) ?? []).filter(isAsked).slice(0, limit);
        return canonicalAssets !== undefined && rows.length === 0
          ? null
          : { rows, isComplete: rows.length < limit };
      }),
    transactionRows: async ({ chain, canonicalAssets, limit }, positions) =>
      withRoom(positions, limit, (position) =>
        (byTransaction.get(placeKey(chain, position)) ?? []).filter(({ canonicalAsset }) =>
          canonicalAssets.includes(canonicalAsset),
        ),
      ),
    transactionHashes: async ({ chain }, positions) =>
      positions.map((position) => hashes.get(placeKey(chain, position)) ?? null),
    labels: async (_, addresses) => addresses.map((address) => labels.get(address) ?? null),
    services: async (_, addresses) => addresses.map((address) => services.get(address) ?? null),
    serviceWallets: async ({ limit }, entities) =>
      entities.map((entity) => {
        const addresses = walletsOf(entity).sort();
        return { addresses: addresses.slice(0, limit), total: addresses.length };
      }),
    serviceTransfers: async ({ chain, entity, direction, canonicalAsset, limit }, ranges) =>
      ranges.map(({ minRaw, maxRaw, ...range }) =>
        walletsOf(entity)
          .flatMap((wallet) =>
            within(sidesOf(chain, wallet), range)
              .filter((side) => side.direction === direction && side.row.canonicalAsset === canonicalAsset)
              .filter(({ row }) => row.amountRaw >= minRaw && row.amountRaw <= maxRaw)
              .map((side): ServiceTransfer => ({ ...toTransfer(side), wallet })),
          )
          .sort(
            (a, b) => (direction === 'out' ? -1 : 1) * (compareAmounts(a, b) || compareTransactions(b, a)),
          )
          .slice(0, limit),
      ),
    walletTransfers: async ({ chain, direction, canonicalAsset, limit }, asked) =>
      asked.map(({ wallet, ...range }) =>
        within(sidesOf(chain, wallet), range)
          .filter((side) => side.direction === direction && side.row.canonicalAsset === canonicalAsset)
          .slice(-limit)
          .map(toTransfer)
          .toReversed(),
      ),
    neighbours: async ({ chain, canonicalAssets, leastRaw, perSideMax }, sides) =>
      sides.map((side) => neighboursOf(chain, side, canonicalAssets, leastRaw).slice(0, perSideMax)),
    counterpartyCounts: async ({ chain, canonicalAssets, leastRaw, othersMax }, sides) =>
      sides.map(({ among, ...side }) => {
        const [earliest] = neighboursOf(chain, side, canonicalAssets);
        const neighbours = neighboursOf(chain, side, canonicalAssets, leastRaw);
        if (earliest === undefined) return null;
        const others = Math.min(neighbours.length, othersMax + 1);
        const met = neighbours
          .filter(({ counterparty }) => others <= othersMax && among.includes(counterparty))
          .map(({ counterparty, first }) => ({ counterparty, first }));
        return { ...side, others, firstUnixSeconds: earliest.first.blockTime, met };
      }),
    partlyRead: async (_, sides) => sides.map(() => false),
    transfersBetween: async (
      { chain, counterparties, direction, canonicalAssets, leastRaw, limit },
      wallets,
    ) =>
      wallets.map((wallet) =>
        sidesOf(chain, wallet)
          .sides.filter(
            (side) => side.direction === direction && isInEarnest(side.row, canonicalAssets, leastRaw),
          )
          .map(toTransfer)
          .filter(({ counterparty }) => counterparties.includes(counterparty))
          .map(({ blockTime, blockNumber, txIndex }) => ({ blockTime, blockNumber, txIndex }))
          .sort(compareTransactions)
          .slice(0, limit),
      ),
    indexedSpan: async (_, chains) =>
      chains.map((chain) => {
        const known = spans.get(chain);
        if (known === undefined || known.toUnixSeconds < blocksSince) return null;
        const span = { ...known, fromUnixSeconds: Math.max(known.fromUnixSeconds, blocksSince) };
        const ends = gaps.map(({ toUnixSeconds }) => toUnixSeconds);
        return { ...span, contiguousSinceUnixSeconds: Math.max(span.fromUnixSeconds, ...ends) };
      }),
    hasGaps: async (_, times) =>
      times.map(({ fromUnixSeconds, toUnixSeconds }) =>
        gaps.some((gap) => gap.fromUnixSeconds <= toUnixSeconds && gap.toUnixSeconds >= fromUnixSeconds),
      ),
  };
};

const isInEarnest = (
  { canonicalAsset, amountRaw }: TransactionRow,
  canonicalAssets: readonly CanonicalAsset[],
  leastRaw: readonly bigint[],
): boolean => {
  const at = canonicalAssets.indexOf(canonicalAsset);
  return at >= 0 && amountRaw >= (leastRaw[at] ?? 0n);
};

const compareAmounts = (a: ServiceTransfer, b: ServiceTransfer): number =>
  a.amountRaw < b.amountRaw ? -1 : Number(a.amountRaw > b.amountRaw);

const EMPTY: Timeline = { sides: [], times: [] };

const placeKey = (chain: string, { blockNumber, txIndex }: TransactionPosition): string =>
  `${chain} ${blockNumber}/${txIndex}`;

const within = (
  { sides, times }: Timeline,
  { fromUnixSeconds, toUnixSeconds }: { fromUnixSeconds: number; toUnixSeconds: number },
): readonly Side[] => sides.slice(countUpTo(times, fromUnixSeconds - 1), countUpTo(times, toUnixSeconds));

const toTransfer = ({ row, direction }: Side) => {
  const { blockTime, blockNumber, txIndex, from, to, amountRaw } = row;
  return { blockTime, blockNumber, txIndex, counterparty: direction === 'in' ? from : to, amountRaw };
};

const toNeighbours = (wallet: string, direction: Direction, sides: readonly Side[]): Neighbour[] => {
  const own = sides.filter((side) => side.direction === direction).map(toTransfer);
  return [...Map.groupBy(own, ({ counterparty }) => counterparty)]
    .map(([counterparty, transfers]) => {
      const [earliest] = transfers.toSorted(compareTransactions);
      if (earliest === undefined) throw new Error('a neighbour without transfers');
      const { blockTime, blockNumber, txIndex } = earliest;
      const first = { blockTime, blockNumber, txIndex };
      return { wallet, direction, counterparty, transfers: transfers.length, first };
    })
    .sort((a, b) => compareTransactions(a.first, b.first) || (a.counterparty < b.counterparty ? -1 : 1));
};

const indexBlocks = (blocks: Iterable<DecodedBlock>) => {
  const byWallet = new Map<string, Timeline>();
  const byTransaction = new Map<string, TransactionRow[]>();
  const places = new Map<string, string>();
  const hashes = new Map<string, string>();
  const spans = new Map<string, TimeRange & { readonly toBlock: number }>();
  const add = (key: string, side: Side): void => {
    const timeline = byWallet.get(key) ?? { sides: [], times: [] };
    timeline.sides.push(side);
    timeline.times.push(side.row.blockTime);
    byWallet.set(key, timeline);
  };
  for (const block of blocks) {
    const toUnixSeconds = block.timeUnixSeconds ?? 0;
    const { fromUnixSeconds } = spans.get(block.chain) ?? { fromUnixSeconds: toUnixSeconds };
    if (toUnixSeconds > 0) spans.set(block.chain, { fromUnixSeconds, toUnixSeconds, toBlock: block.number });
    const moved = new Set(block.movements.map(({ txIndex }) => txIndex));
    for (const row of handOvers(block)) {
      const place = placeKey(block.chain, row);
      const ofTransaction = byTransaction.get(place);
      if (ofTransaction === undefined) byTransaction.set(place, [row]);
      else ofTransaction.push(row);
      add(`${block.chain} ${row.from}`, { row, direction: 'out' });
      add(`${block.chain} ${row.to}`, { row, direction: 'in' });
    }
    for (const { txIndex, hash } of block.transactions.filter((transaction) =>
      moved.has(transaction.txIndex),
    )) {
      const place = placeKey(block.chain, { blockTime: 0, blockNumber: block.number, txIndex });
      places.set(`${block.chain} ${hash}`, place);
      hashes.set(place, hash);
    }
  }
  return { byWallet, byTransaction, places, hashes, spans };
};

const handOvers = (block: DecodedBlock): TransactionRow[] => {
  const chain = findChain(block.chain);
  if (chain === null) throw new Error(`chain ${block.chain} is not known`);
  const transactions = new Map(block.transactions.map((transaction) => [transaction.txIndex, transaction]));
  return block.movements.flatMap(
    ({ txIndex, kind, from, to, asset, amountRaw, authority }): TransactionRow[] => {
      const handedOver = (HAND_OVER_KINDS as readonly string[]).includes(kind) && amountRaw > 0n;
      if (!handedOver || txIndex === null || from === null || to === null || from === to) return [];
      const position = { blockTime: block.timeUnixSeconds ?? 0, blockNumber: block.number, txIndex };
      const { hash = '', sender = '' } = transactions.get(txIndex) ?? {};
      return [
        {
          ...position,
          hash,
          sender,
          from,
          to,
          canonicalAsset: toCanonicalAsset(chain, asset),
          amountRaw,
          authority,
        },
      ];
    },
  );
};
