import type { Address } from '../model/address.ts';
import { transactionKey } from '../model/transfer-reader.ts';
import type { Fit } from './search.ts';

export type PassedOn = {
  readonly rows: readonly Fit[];
  /** Wallets of the service that only hand on. */
  readonly routers: ReadonlySet<Address>;
};

/**
 * What one wallet of the service handed to another in one transaction, as routers do, is one transfer: between the wallet at
 * its inner end and whoever is at its outer one.
 */
export const joinPassedOn = (rows: readonly Fit[]): PassedOn => {
  const routers = new Set<Address>();
  const joined = [...Map.groupBy(rows, placeKey).values()].flatMap((ofTransaction) => {
    if (ofTransaction.length === 1) return ofTransaction;
    const outerOf = ({ wallet, counterparty }: Fit): Fit | undefined =>
      ofTransaction.find((other) => other.wallet === counterparty && other.counterparty !== wallet);
    const handedOn = new Set(
      ofTransaction.flatMap((row) => (outerOf(row) === undefined ? [] : row.counterparty)),
    );
    for (const router of handedOn) routers.add(router);
    return ofTransaction
      .filter(({ wallet }) => !handedOn.has(wallet))
      .map((row) => ({ ...row, counterparty: outerOf(row)?.counterparty ?? row.counterparty }));
  });
  return { rows: joined, routers };
};

const placeKey = (fit: Fit): string => `${transactionKey(fit)} ${fit.family}`;
