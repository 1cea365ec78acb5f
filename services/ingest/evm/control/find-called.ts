import type { AddressBook } from '../address-book.ts';
import { type RawObject, readQuantity, readQuantityOr } from '../read-hex.ts';
import { inputOf } from './read-control-events.ts';

type Done = { readonly tx: RawObject; readonly receipt: RawObject };

const SELECTOR_LENGTH = '0x12345678'.length;

/**
 * The contract that the sender called; null if it created one. Text may be sent to a wallet: a transaction that
 * ran no code is no call.
 */
export const findCalled = (
  { tx, receipt }: Done,
  addresses: AddressBook,
  hasLogs: boolean,
): string | null => {
  const input = inputOf(tx);
  if (tx.to === null || tx.to === undefined || input.length < SELECTOR_LENGTH) return null;
  if (!hasLogs && paidForInputOnly(input, receipt)) return null;
  return addresses.read(tx.to, 'to');
};

const TRANSACTION_GAS = 21_000n;
/** Gas of a zero and of a non-zero byte of input: since Istanbul, and the floor since Prague (EIP-7623). */
const INPUT_PRICES = [
  [4n, 16n],
  [10n, 40n],
] as const;

/** Whether all gas paid for input: the recipient has no code. */
const paidForInputOnly = (input: string, receipt: RawObject): boolean => {
  const bytes = (input.length - 2) / 2;
  let zeros = 0;
  for (let at = 2; at < input.length; at += 2) if (input.startsWith('00', at)) zeros++;
  const gas =
    readQuantity(receipt.gasUsed, 'gasUsed') - readQuantityOr(receipt.gasUsedForL1, 'gasUsedForL1', 0n);
  return INPUT_PRICES.some(
    ([zero, other]) => gas === TRANSACTION_GAS + zero * BigInt(zeros) + other * BigInt(bytes - zeros),
  );
};
