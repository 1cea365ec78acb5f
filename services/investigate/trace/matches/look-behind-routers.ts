import type { Address } from '../../model/address.ts';
import type { Direction, Neighbour } from '../../model/trace-reader.ts';
import { compareTransactions, type TransactionRow } from '../../model/transfer-reader.ts';
import { legsKey, linkLegs } from '../link-legs.ts';
import type { QueryContext } from '../query-context.ts';
import { type RowsRead, readRows } from '../read-rows.ts';
import { findWalletsOf } from '../read-services.ts';
import { PROFILES_MAX } from '../rules.ts';

/** Transfers through routers that are examined: ten for each compared wallet. */
export const ROUTED_MAX = 10 * PROFILES_MAX;

type Routers = {
  readonly routers: ReadonlySet<Address>;
  readonly entity: string;
  /** As seen from the wallets: `out` when they paid in. */
  readonly side: Direction;
};

/**
 * `pools`: those found behind routers. `complete` is false when more passed through routers than is examined.
 */
type BehindRouters = {
  readonly neighbours: readonly Neighbour[];
  readonly pools: ReadonlySet<Address>;
  readonly complete: boolean;
};

/**
 * Replaces a mixer's routers among the neighbours by the pools behind them: which pool each transfer went
 * into (or came from), by the rows of its own transaction. A wallet's only note is left as it is, because it
 * makes no profile.
 */
export const lookBehindRouters = async (
  neighbours: readonly Neighbour[],
  { routers, entity, side }: Routers,
  context: QueryContext,
): Promise<BehindRouters> => {
  const isRouted = ({ direction, counterparty }: Neighbour): boolean =>
    direction === side && routers.has(counterparty);
  const wallets = [...Map.groupBy(neighbours, ({ wallet }) => wallet)]
    .filter(([, of]) => of.some(isRouted) && of.some((one) => !isRouted(one) || one.transfers > 1))
    .map(([wallet]) => wallet);
  if (wallets.length === 0) return { neighbours, pools: new Set(), complete: true };
  const { rows, complete } = await readRouted(wallets, { routers, side }, context);
  const inner = rows.map((row) => endsOf(row, side)).filter(({ near }) => routers.has(near));
  const ends = new Set(inner.map(({ far }) => far));
  const isPool = await findWalletsOf({ entity }, ends, context);
  const routed = new Set(wallets);
  const behind = [...Map.groupBy(rows, legsKey).values()].flatMap((ofTransaction) =>
    [...routers].flatMap((router) => linkThrough(router, ofTransaction, { side, isPool })),
  );
  return {
    neighbours: sumUp([
      ...neighbours.filter((neighbour) => !isRouted(neighbour)),
      ...behind.filter(({ wallet }) => routed.has(wallet)),
    ]),
    pools: new Set([...ends].filter(isPool)),
    complete,
  };
};

/** Only the coin and stablecoins: an unlisted token can log a deposit into any pool. Dust is no note. */
const readRouted = async (
  wallets: readonly Address[],
  { routers, side }: Pick<Routers, 'routers' | 'side'>,
  context: QueryContext,
): Promise<RowsRead> => {
  const { reads, onChain, canonicalAssets, leastRaw } = context;
  const asked = { ...onChain, canonicalAssets, leastRaw, counterparties: [...routers] };
  const each = await reads.transfersBetween({ ...asked, direction: side, limit: ROUTED_MAX }, wallets);
  const transfers = each.flat().sort(compareTransactions).slice(0, ROUTED_MAX);
  const { rows, complete } = await readRows(transfers, canonicalAssets, context);
  const least = new Map(
    canonicalAssets.map((canonicalAsset, index) => [canonicalAsset, leastRaw[index] ?? 0n]),
  );
  const inEarnest = rows.filter(
    ({ canonicalAsset, amountRaw }) => amountRaw >= (least.get(canonicalAsset) ?? 0n),
  );
  return { rows: inEarnest, complete: complete && transfers.length < ROUTED_MAX };
};

/** As seen from outside: the wallets' end, and the other. */
const endsOf = ({ from, to }: TransactionRow, side: Direction) =>
  side === 'out' ? { near: from, far: to } : { near: to, far: from };

type RouterSearch = { readonly side: Direction; readonly isPool: (address: Address) => boolean };

/**
 * Which depositor's notes a router passed to which pool, or the reverse. Several people may use it in one
 * transaction.
 */
const linkThrough = (
  router: Address,
  rows: readonly TransactionRow[],
  { side, isPool }: RouterSearch,
): Neighbour[] => {
  const outer = rows.filter((row) => endsOf(row, side).far === router);
  const inner = rows.filter((row) => endsOf(row, side).near === router && isPool(endsOf(row, side).far));
  const links = side === 'out' ? linkLegs(outer, inner) : linkLegs(inner, outer);
  return links.map(({ first, second }) => {
    const [without, within] = side === 'out' ? [first, second] : [second, first];
    const far = endsOf(within, side).far;
    return toNeighbour(endsOf(without, side).near, side, { row: within, far });
  });
};

const toNeighbour = (
  wallet: Address,
  direction: Direction,
  { row: { blockTime, blockNumber, txIndex }, far }: { row: TransactionRow; far: Address },
): Neighbour => ({
  wallet,
  direction,
  counterparty: far,
  transfers: 1,
  first: { blockTime, blockNumber, txIndex },
});

/** A wallet that paid both directly and through a router appears once. */
const sumUp = (neighbours: readonly Neighbour[]): Neighbour[] =>
  [
    ...Map.groupBy(neighbours, ({ wallet, direction, counterparty }) =>
      [wallet, direction, counterparty].join(' '),
    ).values(),
  ].map((same) => same.reduce(join));

const join = (one: Neighbour, other: Neighbour): Neighbour => ({
  ...one,
  transfers: one.transfers + other.transfers,
  first: compareTransactions(other.first, one.first) < 0 ? other.first : one.first,
});
