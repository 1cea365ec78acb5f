import type { Address } from '../model/address.ts';
import type { Direction } from '../model/trace-reader.ts';
import { transactionKey } from '../model/transfer-reader.ts';
import { isMostOf } from './find-pool.ts';
import { linkLegs, sumOf } from './link-legs.ts';
import type { Fit } from './search.ts';

export type PassedOn = {
  readonly rows: readonly Fit[];
  /** Wallets of the service that only hand on. */
  readonly routers: ReadonlySet<Address>;
};

/**
 * What one wallet of the service handed to another in one transaction, as routers do, is one transfer: between the wallet at
 * its inner end and whoever is at its outer one. `direction`: the service got these (`in`) or gave them.
 */
export const joinPassedOn = (rows: readonly Fit[], direction: Direction): PassedOn => {
  const routers = new Set<Address>();
  const joined = [...Map.groupBy(rows, placeKey).values()].flatMap((ofTransaction) => {
    let left: readonly Fit[] = ofTransaction;
    if (left.length === 1) return left;
    for (const router of new Set(ofTransaction.map(({ wallet }) => wallet))) {
      const passedOn = joinThrough(router, left, direction);
      if (passedOn === null) continue;
      routers.add(router);
      left = passedOn;
    }
    return left;
  });
  return { rows: joined, routers };
};

/** null where the wallet handed nothing on. */
const joinThrough = (router: Address, rows: readonly Fit[], direction: Direction): readonly Fit[] | null => {
  const inner = rows.filter(({ counterparty }) => counterparty === router);
  const givenBack = new Set(inner.map(({ wallet }) => wallet));
  const outer = rows.filter(({ wallet, counterparty }) => wallet === router && !givenBack.has(counterparty));
  const [firsts, seconds] = direction === 'in' ? [outer, inner] : [inner, outer];
  if (!isMostOf(sumOf(seconds), sumOf(firsts))) return null;
  const links = linkLegs(firsts, seconds);
  if (links.length === 0) return null;
  const linked = new Set(links.flatMap(({ first, second }) => [first, second]));
  return [
    ...rows.filter((row) => !linked.has(row)),
    ...links.map(({ first, second, isBatch }) => ({
      ...(isBatch ? first : second),
      wallet: (direction === 'in' ? second : first).wallet,
      counterparty: (direction === 'in' ? first : second).counterparty,
    })),
  ];
};

const placeKey = (fit: Fit): string => `${transactionKey(fit)} ${fit.family}`;
