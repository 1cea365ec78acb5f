import { TransactionFormatError } from '../transaction-format-error.ts';

// 32 bytes take 32 (all zero) to 44 digits of base58.
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Consecutive rows name the same few addresses. */
let latest: string | null = null;

/** Checks the form of an address without computing its bytes. */
export const isAddress = (value: unknown): value is string => {
  if (typeof value !== 'string') return false;
  if (value === latest) return true;
  if (!ADDRESS.test(value)) return false;
  latest = value;
  return true;
};

/** The value of a field that becomes a party or an asset. @throws TransactionFormatError `bad_address` */
export const checkedAddress = (value: unknown): string => {
  if (isAddress(value)) return value;
  throw new TransactionFormatError('bad_address', `${String(value).slice(0, 60)} is not an address`);
};
