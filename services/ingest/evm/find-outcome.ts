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
 * Whether a transaction took effect. Receipts before Byzantium hold a state root instead of a status; then, and where the
 * status is missing, the trace decides (`traceFailed`, null without one). Without it a log of a contract means success
 * (`hasLogs`): a failure undoes it. Before Byzantium (`hasStatus` false) every failure used up the gas limit, so gas left over, or a plain transfer that
 * needs exactly its limit, means success, too; a revert since then leaves gas over. Throws `BlockFormatError`.
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
 * Whether a transaction ran no code: nothing can have moved but its own value. Code may also cost less than a plain
 * transfer, once what it freed is refunded.
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
