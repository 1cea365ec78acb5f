import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { Direction } from '../../model/trace-reader.ts';
import { isMostOf, legsKey, linkLegs } from '../link-legs.ts';
import type { MatchingTransfer, Search } from '../search.ts';

export type PassedOn = {
  readonly rows: readonly MatchingTransfer[];
  /** Wallets of the service that only hand on. */
  readonly routers: ReadonlySet<Address>;
};

/**
 * Joins what a router handed on within one transaction to one transfer, between the wallets at its inner and outer
 * ends. A router hands on most of what it gets, payment by payment. A wallet is no router because one depositor took
 * another note out of it in the same transaction.
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

/** Those that handed on in most of the transactions in which somebody outside paid them (they paid somebody). */
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

/** Which of what passed at a wallet's outer end passed at its inner one; no links where it handed nothing on. */
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
