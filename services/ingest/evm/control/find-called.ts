import { least } from '../../../investigate/model/amount.ts';
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
  if (!hasLogs && ranNoCode(tx, input, receipt)) return null;
  return addresses.read(tx.to, 'to');
};

const TRANSACTION_GAS = 21_000n;
/** Gas of a zero and of a non-zero byte of input: since Istanbul, and the floor since Prague (EIP-7623). */
const INPUT_PRICES = [
  [4n, 16n],
  [10n, 40n],
] as const;

/** Of an entry of the access list, and of a storage key in it (EIP-2930). */
const ACCESS_PRICES = [2_400n, 1_900n] as const;
/** Of an authorization, and what is given back of it where the wallet exists (EIP-7702). */
const AUTHORIZATION_PRICE = 25_000n;
const AUTHORIZATION_REFUND = 12_500n;
/** At most this part of the gas is given back (EIP-3529). */
const REFUND_PART = 5n;

/**
 * Whether all gas paid for what the transaction itself carries: the recipient has no code. Else anybody could make a
 * contract of another's wallet by a transaction with an access list.
 */
const ranNoCode = (tx: RawObject, input: string, receipt: RawObject): boolean => {
  const bytes = (input.length - 2) / 2;
  let zeros = 0;
  for (let at = 2; at < input.length; at += 2) if (input.startsWith('00', at)) zeros++;
  const gas =
    readQuantity(receipt.gasUsed, 'gasUsed') - readQuantityOr(receipt.gasUsedForL1, 'gasUsedForL1', 0n);
  const authorizations = listOf(tx.authorizationList).length;
  const listed = priceOfAccess(tx) + AUTHORIZATION_PRICE * BigInt(authorizations);
  const refunds = Array.from(
    { length: authorizations + 1 },
    (_, times) => AUTHORIZATION_REFUND * BigInt(times),
  );
  return INPUT_PRICES.some(([zero, other]) => {
    const paid = TRANSACTION_GAS + zero * BigInt(zeros) + other * BigInt(bytes - zeros);
    const whole = paid + listed;
    return gas === paid || refunds.some((refund) => gas === whole - least(refund, whole / REFUND_PART));
  });
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const priceOfAccess = ({ accessList }: RawObject): bigint => {
  const [ofAddress, ofKey] = ACCESS_PRICES;
  return listOf(accessList).reduce<bigint>((sum, entry) => {
    const keys = listOf((entry as { readonly storageKeys?: unknown } | null)?.storageKeys).length;
    return sum + ofAddress + ofKey * BigInt(keys);
  }, 0n);
};
