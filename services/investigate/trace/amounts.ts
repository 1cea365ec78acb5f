import type { Address } from '../model/address.ts';
import { sumOf, toWholeUnits } from '../model/amount.ts';
import { type CanonicalAsset, knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { TransactionRow } from '../model/transfer-reader.ts';
import type { Holding } from './trace-answer.ts';

/** An amount in whole units, as people write it. */
export const wholeUnits = (chain: Chain, { canonicalAsset, amountRaw }: Holding): number =>
  toWholeUnits(amountRaw, knownDecimals(chain, canonicalAsset));

/** Number of digits without trailing zeros: 1.5 has two. */
export const significantDigits = (amountRaw: bigint): number =>
  amountRaw.toString().length - zerosOf(amountRaw);

export const zerosOf = (amountRaw: bigint): number => amountRaw.toString().match(/0*$/)?.[0].length ?? 0;

/** The sum of what a wallet paid of one asset in these rows. */
export const sumPaid = (
  rows: readonly TransactionRow[],
  payer: Address,
  canonicalAsset: CanonicalAsset,
): bigint => sumOf(rows.filter((row) => row.from === payer && row.canonicalAsset === canonicalAsset));
