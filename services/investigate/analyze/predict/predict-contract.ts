import type { Address } from '../../model/address.ts';
import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import { countParties, isOut, type Observed } from '../behaviours/observed.ts';
import type { Prediction } from '../profile.ts';

/** A wallet's payment may be sponsored by others once or twice, but not more often. */
const UNSIGNED_MIN = 3;
/**
 * Minimum share of the transactions paying a pool in which it gave another asset back. The other transactions
 * add liquidity.
 */
const TRADES_SHARE_MIN = 0.5;

/** The address pays out and never signs, so code controls its money. */
export const predictContract = (observed: Observed): Prediction | null => {
  const { entries, payments, trades, chain } = observed;
  const gave = [...payments, ...trades].filter(isOut);
  const payees = countParties(gave);
  if (gave.length < UNSIGNED_MIN || entries.some(({ isSender }) => isSender)) return null;
  const traders = findTraders(observed);
  if (traders.size >= UNSIGNED_MIN) {
    const why = `It never sent a transaction itself, and gave another asset back at once in those of ${traders.size} senders.`;
    return { type: 'dex', confidence: 0.75, why };
  }
  if (payees < UNSIGNED_MIN) return null;
  const why = `It paid ${payees} addresses and never sent a transaction itself.`;
  return { type: chain.family === 'evm' ? 'contract' : 'program', confidence: 0.8, why };
};

/**
 * Senders whose transactions gave it one asset and took another one. Because of routers, the payer and the
 * payee need not be the same.
 */
const findTraders = ({ siblings, wallet }: Observed): ReadonlySet<Address> => {
  const paid = [...Map.groupBy(siblings, transactionKey).values()].filter((rows) =>
    rows.some(({ to }) => to === wallet),
  );
  const traded = paid.filter((rows) => isTrade(rows, wallet));
  if (traded.length < paid.length * TRADES_SHARE_MIN) return new Set();
  return new Set(traded.flatMap((rows) => rows[0]?.sender ?? []));
};

const isTrade = (rows: readonly TransactionRow[], wallet: Address): boolean => {
  const came = new Set(rows.filter(({ to }) => to === wallet).map(({ canonicalAsset }) => canonicalAsset));
  return rows.some(({ from, canonicalAsset }) => from === wallet && !came.has(canonicalAsset));
};
