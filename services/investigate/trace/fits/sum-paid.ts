import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { AssetFamily } from '../../model/asset.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';

/** All that a wallet paid of an asset in these rows, to whomever. */
export const sumPaid = (rows: readonly TransactionRow[], payer: Address, family: AssetFamily): bigint =>
  sumOf(rows.filter((row) => row.from === payer && row.family === family));
