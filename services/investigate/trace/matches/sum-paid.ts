import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';

/** All that a wallet paid of an asset in these rows, to whomever. */
export const sumPaid = (
  rows: readonly TransactionRow[],
  payer: Address,
  canonicalAsset: CanonicalAsset,
): bigint => sumOf(rows.filter((row) => row.from === payer && row.canonicalAsset === canonicalAsset));
