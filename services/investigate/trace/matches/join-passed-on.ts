import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { Direction } from '../../model/trace-reader.ts';
import { isMostOf, legsKey, linkLegs } from '../link-legs.ts';
import type { MatchingTransfer, Search } from '../search.ts';

export type PassedOn = {
  readonly rows: readonly MatchingTransfer[];
  /** Wallets of the service that only pass money on. */
  readonly routers: ReadonlySet<Address>;
};

/**
 * Joins what a router passed on within one transaction to one transfer between the wallets at its inner and
 * outer ends. A router passes on most of what it receives, payment by payment. A wallet is no router merely
 * because one depositor withdrew another note in the same transaction.
 */
export const joinPassedOn = (
  rows: readonly MatchingTransfer[],
  { request: { direction }, pool }: Pick<Search, 'request' | 'pool'>,
): PassedOn => {
  const transactions = [...Map.groupBy(rows, legsKey).values()];
  const routers = findRouters(transactions, direction);
  routers.delete(pool);
  const joined = transactions.flatMap((ofTransaction) => {
    let left: readonly MatchingTransfer[] = ofTransaction;
    for (const wallet of walletsOf(ofTransaction)) {
      if (routers.has(wallet)) left = joinThrough(wallet, left, direction);
    }
    return left;
  });
  return { rows: joined, routers };
};

/**
 * Wallets that passed money on in most of the transactions in which an outsider paid them (or they paid one).
 */
const findRouters = (
  transactions: readonly (readonly MatchingTransfer[])[],
  direction: Direction,
): Set<Address> => {
  const balance = new Map<Address, number>();
  for (const ofTransaction of transactions) {
    for (const wallet of walletsOf(ofTransaction)) {
      const { outer, links } = linkThrough(wallet, ofTransaction, direction);
      if (outer.length === 0) continue;
      balance.set(wallet, (balance.get(wallet) ?? 0) + (links.length > 0 ? 1 : -1));
    }
  }
  return new Set([...balance].filter(([, more]) => more > 0).map(([wallet]) => wallet));
};

const walletsOf = (rows: readonly MatchingTransfer[]): ReadonlySet<Address> =>
  new Set(rows.map(({ wallet }) => wallet));

/**
 * Links the transfers at a wallet's outer end with those at its inner end; no links when it passed nothing
 * on.
 */
const linkThrough = (wallet: Address, rows: readonly MatchingTransfer[], direction: Direction) => {
  const inner = rows.filter(({ counterparty }) => counterparty === wallet);
  const givenBack = walletsOf(inner);
  const outer = rows.filter((row) => row.wallet === wallet && !givenBack.has(row.counterparty));
  const [firsts, seconds] = direction === 'in' ? [outer, inner] : [inner, outer];
  return { outer, links: isMostOf(sumOf(seconds), sumOf(firsts)) ? linkLegs(firsts, seconds) : [] };
};

const joinThrough = (
  router: Address,
  rows: readonly MatchingTransfer[],
  direction: Direction,
): readonly MatchingTransfer[] => {
  const { links } = linkThrough(router, rows, direction);
  const linked = new Set(links.flatMap(({ first, second }) => [first, second]));
  return [
    ...rows.filter((row) => !linked.has(row)),
    ...links.map(({ first, second, isBatch }) => ({
      ...(isBatch ? first : second),
      wallet: (direction === 'in' ? second : first).wallet,
      counterparty: (direction === 'in' ? first : second).counterparty,
      through: (direction === 'in' ? first : second).through ?? router,
    })),
  ];
};
