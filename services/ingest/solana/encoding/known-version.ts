import { TransactionFormatError } from '../transaction-format-error.ts';

/** The newest transaction version that is read: SIMD-0385, on mainnet since September 2026. */
export const NEWEST_VERSION = 1;

/** Code of a newer transaction's problem. */
export const UNSUPPORTED = 'unsupported_version';

/** @throws TransactionFormatError `unsupported_version` for an unknown version; nodes of 2021 report none */
export const refuseUnknownVersion = (version: unknown): void => {
  if (version === undefined || version === null || version === 'legacy') return;
  if (typeof version === 'number' && version >= 0 && version <= NEWEST_VERSION) return;
  throw unknownVersion(version);
};

export const unknownVersion = (version: unknown): TransactionFormatError =>
  new TransactionFormatError(UNSUPPORTED, `transaction version ${String(version)} is not read here`);
