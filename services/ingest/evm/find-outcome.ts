import { type RawObject, readQuantity, readQuantityOr } from './read-hex.ts';

export type Outcome = 'succeeded' | 'failed' | 'unknown';

type Signs = {
  readonly traceFailed: boolean | null;
  readonly hasLogs: boolean;
  readonly hasStatus: boolean;
};

const PLAIN_TRANSFER_GAS = 21_000n;
const PLAIN_TRANSFER_GAS_HEX = '0x5208';

/**
 * Whether a transaction succeeded. Receipts before Byzantium have a state root, no status. Then the trace decides
 * (`traceFailed`, null without one). Without a trace a contract's log means success (`hasLogs`), because a failure
 * undoes logs. Before Byzantium (`hasStatus` false) a failure used all gas, so remaining gas, or a plain transfer
 * at its exact limit, means success; a revert since then leaves gas. Throws `BlockFormatError`.
 */
export const findOutcome = (
  tx: RawObject,
  receipt: RawObject,
  { traceFailed, hasLogs, hasStatus }: Signs,
): Outcome => {
  const status = readStatus(receipt);
  if (status !== null) return status;
  if (traceFailed !== null) return traceFailed ? 'failed' : 'succeeded';
  if (hasLogs) return 'succeeded';
  if (hasStatus) return 'unknown';
  const gasUsed = readQuantity(receipt.gasUsed, 'gasUsed');
  const gasLimit = readQuantity(tx.gas, 'gas');
  if (gasUsed < gasLimit) return 'succeeded';
  return gasUsed === PLAIN_TRANSFER_GAS && hasNoInput(tx) ? 'succeeded' : 'unknown';
};

/** What the receipt itself says; null before Byzantium. Throws `BlockFormatError`. */
export const readStatus = ({ status }: RawObject): 'succeeded' | 'failed' | null => {
  if (status === '0x1') return 'succeeded';
  const value = readQuantityOr(status, 'status', null);
  return value === null ? null : value === 0n ? 'failed' : 'succeeded';
};

/**
 * Whether a transaction ran no code, so that only its own value can have moved. With refunds, code may also cost
 * less than a plain transfer.
 */
export const ranNoCode = (tx: RawObject, receipt: RawObject): boolean => {
  if (tx.to === null || tx.to === undefined || !hasNoInput(tx)) return false;
  if (receipt.gasUsed === PLAIN_TRANSFER_GAS_HEX) return true;
  const l1Gas = readQuantityOr(receipt.gasUsedForL1, 'gasUsedForL1', 0n);
  return readQuantity(receipt.gasUsed, 'gasUsed') - l1Gas === PLAIN_TRANSFER_GAS;
};

const hasNoInput = (tx: RawObject): boolean => {
  const input = tx.input ?? tx.data;
  return input === '0x' || input === '';
};
