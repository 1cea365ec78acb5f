import { NATIVE } from '../../../investigate/model/movement.ts';
import { exactAmount, smallerAmount } from '../encoding/exact-integer.ts';
import type { RawTokenBalance } from '../encoding/raw-block.ts';
import { rentExemptMinimum, rentExemptMost } from './block-knowledge.ts';
import type { Ledger } from './ledger.ts';
import { lamportRow, tokenRow } from './row.ts';
import type { TokenAccount } from './token-account.ts';
import { isWrappedNative, spaceOfWrapped } from './wrapped-native.ts';

/** Counts the account's lamports above its rent as wrapped, newest payments first: the oldest paid the rent. */
export const syncNative = (ledger: Ledger, index: number): void => {
  const token = ledger.token(index, null);
  if (!token.isNative) return;
  token.isTakenUp = true;
  let rest = ledger.lamportsOf(index) - reserveOf(ledger, index, token) - token.amountRaw;
  if (rest <= 0n) return;
  token.amountRaw += rest;
  const party = ledger.partyOf(index, token);
  for (let i = ledger.rows.length - 1; i >= 0 && rest > 0n; i--) {
    const row = ledger.rows[i];
    if (row === undefined || !row.isLamports || row.toIndex !== index) continue;
    const taken = smallerAmount(row.amountRaw - row.wrappedRaw, rest);
    row.wrappedRaw += taken;
    row.wrappedBy = party;
    rest -= taken;
  }
  const found = takeFound(ledger, index, token, party, rest);
  if (rest > found) ledger.rows.push(tokenRow('rent', null, party, NATIVE, rest - found));
};

/** Lamports that the address held before the account was opened are wrapped last. Returns that part. */
const takeFound = (
  ledger: Ledger,
  index: number,
  token: TokenAccount,
  party: string,
  amountRaw: bigint,
): bigint => {
  const found = smallerAmount(amountRaw, token.foundRaw);
  if (found <= 0n) return 0n;
  token.foundRaw -= found;
  const address = ledger.keys.at(index);
  if (address !== party) ledger.rows.push(tokenRow('transfer', address, party, NATIVE, found));
  return found;
};

/**
 * Lamports of a wrapped-SOL account that never count as wrapped. Balances tell it if they belong to the account
 * that is open now: another account, even of another mint, may have been closed or opened at the address.
 */
const reserveOf = (ledger: Ledger, index: number, token: TokenAccount): bigint => {
  const { meta, knowledge, spaces } = ledger;
  const before = token.opened ? null : lamportsBeyond(meta.preBalances[index], token.before);
  const after = lamportsBeyond(meta.postBalances[index], token.after);
  // Lamports sent but not wrapped enlarge either difference; the smaller one is nearer.
  const reserve = before === null || (after !== null && after < before) ? after : before;
  const space = spaces?.get(index) ?? spaceOfWrapped(token.mint);
  if (reserve === null) return rentExemptMinimum(knowledge, space);
  if (space === null) return reserve;
  // It may have been opened when a byte cost more.
  return smallerAmount(reserve, token.opened ? rentExemptMinimum(knowledge, space) : rentExemptMost(space));
};

/** An account's lamports beyond its listed wrapped SOL; null without a listed balance. */
const lamportsBeyond = (lamports: unknown, listed: RawTokenBalance | null): bigint | null =>
  listed !== null && isWrappedNative(listed.mint)
    ? exactAmount(lamports) - exactAmount(listed.uiTokenAmount.amount)
    : null;

/**
 * A wrapped account pays more than was counted as wrapped: the rent estimate was too high, or somebody paid in by
 * an unrecorded instruction. That part belonged to its owner at the time.
 */
export const coverShortage = (
  ledger: Ledger,
  index: number,
  token: TokenAccount,
  amountRaw: bigint,
): void => {
  const shortage = amountRaw - token.amountRaw;
  if (shortage <= 0n) return;
  token.amountRaw = amountRaw;
  const party = ledger.partyOf(index, token);
  const isListed = token.before !== null || token.after !== null;
  // A listed amount is exact.
  if ((isListed && !token.isTakenUp) || ledger.lamportsOf(index) < amountRaw) {
    ledger.shiftLamports(index, shortage);
    token.paidIn ??= [];
    token.paidIn.push({ party, amountRaw: shortage });
  } else ledger.rows.push(tokenRow('rent', null, party, NATIVE, shortage));
};

/** Pays `amountRaw` (null: all) of a wrapped-SOL account out as lamports. */
export const unwrap = (
  ledger: Ledger,
  index: number,
  to: number,
  amountRaw: bigint | null,
  authority: string,
): void => {
  ledger.checked(to);
  const token = ledger.token(index, null);
  const amount = amountRaw ?? token.amountRaw;
  coverShortage(ledger, index, token, amount);
  token.amountRaw -= amount;
  ledger.shiftLamports(index, -amount);
  ledger.shiftLamports(to, amount);
  if (amount > 0n) pushUnwrap(ledger, index, token, to, amount, authority);
};

export const pushUnwrap = (
  ledger: Ledger,
  index: number,
  token: TokenAccount,
  to: number,
  amountRaw: bigint,
  authority: string,
): void => {
  const party = ledger.partyOf(index, token);
  const signer = authority === party ? null : authority;
  ledger.payLamports(lamportRow('transfer', party, -1, to, amountRaw, signer, true));
};
