import type { Address } from '../model/address.ts';
import type { Direction, Neighbour } from '../model/trace-reader.ts';
import { compareTransactions, type TransactionRow, transactionKey } from '../model/transfer-reader.ts';
import type { Ask } from './ask.ts';

/** Transfers through routers that are looked at, and rows of their transactions. */
const ROUTED_MAX = 2_000;
const ROUTED_ROWS_MAX = 20_000;

type Routers = {
  readonly routers: ReadonlySet<Address>;
  readonly entity: string;
  /** Seen from the wallets: `out` where they paid in. */
  readonly side: Direction;
};

/** `pools`: those that were found behind routers. */
type BehindRouters = { readonly neighbours: readonly Neighbour[]; readonly pools: ReadonlySet<Address> };

/**
 * Neighbours with the pools behind a mixer's routers in the place of the routers: which pool each transfer passed into (out
 * of), by the rows of its own transaction. A wallet's only note is left as it is, since it makes no profile.
 */
export const lookBehindRouters = async (
  neighbours: readonly Neighbour[],
  { routers, entity, side }: Routers,
  { reader, limits, families }: Ask,
): Promise<BehindRouters> => {
  const isRouted = ({ direction, counterparty }: Neighbour): boolean =>
    direction === side && routers.has(counterparty);
  const wallets = [...Map.groupBy(neighbours, ({ wallet }) => wallet)]
    .filter(([, of]) => of.some(isRouted) && of.some((one) => !isRouted(one) || one.transfers > 1))
    .map(([wallet]) => wallet);
  if (wallets.length === 0) return { neighbours, pools: new Set() };
  const transfers = await reader.transfersBetween({
    ...limits,
    wallets,
    counterparties: [...routers],
    families,
    direction: side,
    limit: ROUTED_MAX,
  });
  const rows = await reader.transactionRows({ ...limits, positions: transfers, limit: ROUTED_ROWS_MAX });
  const inner = rows.flatMap((row) => {
    const [near, far] = side === 'out' ? [row.from, row.to] : [row.to, row.from];
    return routers.has(near) ? [{ row, far }] : [];
  });
  const services = await reader.services({ ...limits, addresses: [...new Set(inner.map(({ far }) => far))] });
  const pools = inner.filter(({ far }) => services.get(far)?.entity === entity);
  const byPlace = Map.groupBy(pools, ({ row }) => transactionKey(row));
  const walletsAt = new Map(transfers.map((transfer) => [transactionKey(transfer), transfer.wallet]));
  const behind = [...byPlace].flatMap(([place, passed]) =>
    passed.map(({ row, far }) => toNeighbour(walletsAt.get(place) ?? '', side, { row, far })),
  );
  return {
    neighbours: sumUp([...neighbours.filter((neighbour) => !isRouted(neighbour)), ...behind]),
    pools: new Set(pools.map(({ far }) => far)),
  };
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

/** Whoever is there twice, since both paid directly and through a router, is there once. */
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
