import { TransactionFormatError } from './transaction-format-error.ts';

// 32 bytes take 32 (all zero) to 44 digits of base58.
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Has the form of an address; its bytes are not computed. */
export const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && ADDRESS.test(value);

/**
 * The value of a field that becomes a party or an asset.
 * @throws TransactionFormatError `bad_address`
 */
export const checkedAddress = (value: unknown): string => {
  if (isAddress(value)) return value;
  throw new TransactionFormatError('bad_address', `${String(value).slice(0, 60)} is no address`);
};
