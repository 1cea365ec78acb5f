import { type Flow, transactionKey } from '../../model/transfer-reader.ts';

/** What one transaction moved between two wallets is one sum, in however many rows: a payment or a receipt. */
export const joinRows = (rows: readonly Flow[]): readonly Flow[] => {
  const joined = new Map<string, Flow>();
  for (const row of rows) {
    const key = `${transactionKey(row)} ${row.type === 'swap' ? row.step : row.counterparty}`;
    const before = joined.get(key);
    joined.set(key, before === undefined ? row : { ...before, amountRaw: before.amountRaw + row.amountRaw });
  }
  return [...joined.values()];
};
