import { TransactionFormatError } from '../transaction-format-error.ts';

/** Of transactions, the newest that is read: SIMD-0385, on mainnet since September 2026. */
export const NEWEST_VERSION = 1;

/** Code of the problem of a transaction that is newer. */
export const UNSUPPORTED = 'unsupported_version';

/** @throws TransactionFormatError `unsupported_version` for one that may mean anything; nodes of 2021 tell none */
export const refuseUnknownVersion = (version: unknown): void => {
  if (version === undefined || version === null || version === 'legacy') return;
  if (typeof version === 'number' && version >= 0 && version <= NEWEST_VERSION) return;
  throw unknownVersion(version);
};

export const unknownVersion = (version: unknown): TransactionFormatError =>
  new TransactionFormatError(UNSUPPORTED, `transaction version ${String(version)} is not read here`);
