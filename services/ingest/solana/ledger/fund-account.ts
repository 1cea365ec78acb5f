import { NATIVE } from '../../../investigate/model/movement.ts';
import { smallerAmount } from '../encoding/exact-integer.ts';
import { rentExemptMost, TOKEN_ACCOUNT_BYTES } from './block-knowledge.ts';
import type { Ledger } from './ledger.ts';
import { tokenRow } from './row.ts';
import { addTurn, isExtended, type TokenAccount } from './token-account.ts';

/**
 * Hands an address's lamports to the token account opened there: the newest payments first, then what it held
 * before. What exceeds the rent belongs to the owner, like later payments.
 */
export const fundAccount = (ledger: Ledger, index: number, token: TokenAccount): void => {
  const lamports = ledger.lamportsOf(index);
  const party = ledger.partyOf(index, token);
  let spare = token.isNative ? 0n : beyondRent(ledger, index, token, lamports);
  let rest = lamports;
  const start = token.turns.at(-1)?.row ?? 0;
  for (let i = ledger.rows.length - 1; i >= start && rest > 0n; i--) {
    const row = ledger.rows[i];
    if (row === undefined || !row.isLamports || row.toIndex !== index) continue;
    row.fundedRaw = smallerAmount(row.amountRaw, rest);
    row.spareRaw = smallerAmount(row.fundedRaw, spare);
    row.spareOf = party;
    rest -= row.fundedRaw;
    spare -= row.spareRaw;
  }
  token.foundRaw += rest - spare;
  addTurn(token, { row: ledger.rows.length, isOpening: true });
  if (spare === 0n) return;
  ledger.rows.push(tokenRow('transfer', ledger.keys.at(index), party, NATIVE, spare));
  ledger.rows.push(tokenRow('rent', party, null, NATIVE, spare));
};

/** Lamports of an open account beyond its rent. No balance counts them, but they are the owner's. */
export const spareOf = (ledger: Ledger, index: number, token: TokenAccount): bigint =>
  beyondRent(ledger, index, token, ledger.lamportsOf(index) - (token.isNative ? token.amountRaw : 0n));

// Token-2022 accounts may have extensions, which balances do not show: this size covers all of today's.
const EXTENDED_ACCOUNT_BYTES = 1_024;

/** Lamports beyond the highest possible rent of the account. */
const beyondRent = (ledger: Ledger, index: number, token: TokenAccount, lamportsRaw: bigint): bigint => {
  const usual = isExtended(token) ? EXTENDED_ACCOUNT_BYTES : TOKEN_ACCOUNT_BYTES;
  const rent = rentExemptMost(ledger.spaces?.get(index) ?? usual);
  return lamportsRaw > rent ? lamportsRaw - rent : 0n;
};
