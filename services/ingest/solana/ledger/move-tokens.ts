import { type MovementKind, NATIVE } from '../../../investigate/model/movement.ts';
import { exactAmount } from '../encoding/exact-integer.ts';
import { learnRent, rentExemptMost, TOKEN_ACCOUNT_BYTES } from './block-knowledge.ts';
import { fundAccount, spareOf } from './fund-account.ts';
import type { Ledger } from './ledger.ts';
import { lamportRow, tokenRow } from './row.ts';
import { settleEmptied } from './settle-tokens.ts';
import { addTurn, isExtended, isOpen, newTokenAccount, type TokenAccount } from './token-account.ts';
import { coverShortage, pushUnwrap, syncNative } from './wrap-sol.ts';
import { isWrappedNative } from './wrapped-native.ts';

export const openToken = (ledger: Ledger, index: number, mint: string, owner: string): void => {
  ledger.checked(index);
  const earlier = ledger.tokens[index];
  const isNew = earlier === undefined || !isOpen(earlier);
  const token = earlier ?? newTokenAccount(mint, owner);
  if (!isNew) settleEmptied(ledger, index, token);
  token.mint = mint;
  token.isNative = isWrappedNative(mint);
  token.owner = owner;
  token.amountRaw = 0n;
  token.touched = true;
  token.opened = true;
  token.closed = false;
  ledger.tokens[index] = token;
  if (isNew) fundAccount(ledger, index, token);
  else addTurn(token, { row: ledger.rows.length, isOpening: true });
  if (token.isNative) syncNative(ledger, index);
  else if (token.after !== null && !isExtended(token))
    learnRent(ledger.knowledge, exactAmount(ledger.meta.postBalances[index]));
};

/** A requested associated account; creating an existing one changes nothing. */
export const openAssociated = (ledger: Ledger, index: number, mint: string, owner: string): void => {
  if (ledger.lamportsOf(ledger.checked(index)) === 0n) openToken(ledger, index, mint, owner);
};

/** `feeRaw`: null if the instruction does not name a fee that its program may withhold. */
export const transferTokens = (
  ledger: Ledger,
  from: number,
  to: number,
  amountRaw: bigint,
  authority: string,
  mint: string | null,
  feeRaw: bigint | null,
): void => {
  const source = ledger.token(from, mint ?? ledger.tokens[ledger.checked(to)]?.mint ?? null);
  const target = ledger.token(to, source.mint);
  if (source.mint === null && target.mint !== null) ledger.nameMint(from, source, target.mint);
  const withheldRaw = from === to ? 0n : (feeRaw ?? 0n);
  if (from !== to) moveAmount(ledger, from, source, to, target, amountRaw, withheldRaw);
  const owner = ledger.partyOf(from, source);
  const asset = source.isNative ? NATIVE : source.mint;
  const signer = authority === owner ? null : authority;
  const row = tokenRow('transfer', owner, ledger.partyOf(to, target), asset, amountRaw, signer, from, to);
  row.withheldRaw = withheldRaw;
  row.hidesFee = feeRaw === null && from !== to;
  ledger.rows.push(row);
};

const moveAmount = (
  ledger: Ledger,
  from: number,
  source: TokenAccount,
  to: number,
  target: TokenAccount,
  amountRaw: bigint,
  withheldRaw: bigint,
): void => {
  if (source.isNative) coverShortage(ledger, from, source, amountRaw);
  source.amountRaw -= amountRaw;
  target.amountRaw += amountRaw - withheldRaw;
  if (!source.isNative) return;
  ledger.shiftLamports(from, -amountRaw);
  ledger.shiftLamports(to, amountRaw);
};

/** Issued to (`mint`, `unwrap`) or taken from (`burn`, `wrap`) a token account, without another party. */
export const changeSupply = (
  ledger: Ledger,
  kind: MovementKind,
  index: number,
  mint: string,
  amountRaw: bigint,
  authority: string,
): void => {
  const token = ledger.token(index, mint);
  const party = ledger.partyOf(index, token);
  const isIssued = kind === 'mint' || kind === 'unwrap';
  token.amountRaw += isIssued ? amountRaw : -amountRaw;
  const signer = authority === party ? null : authority;
  ledger.rows.push(
    tokenRow(kind, isIssued ? null : party, isIssued ? party : null, token.mint, amountRaw, signer),
  );
};

/** A closable mint has an extension, which makes it at least this large. */
const CLOSABLE_MINT_BYTES = 202;

/**
 * The size of a token account that balances omit because its mint was closed: its rent is too small for a mint's.
 * null for a mint.
 */
const spaceOfUnlisted = (lamports: bigint): bigint | null => {
  for (let space = TOKEN_ACCOUNT_BYTES; space < CLOSABLE_MINT_BYTES; space++)
    if (rentExemptMost(space) === lamports) return BigInt(space);
  return null;
};

export const closeToken = (
  ledger: Ledger,
  index: number,
  to: number,
  authority: string,
  mayBeMint: boolean,
): void => {
  ledger.checked(to);
  if (mayBeMint && ledger.tokens[ledger.checked(index)] === undefined) {
    const space = spaceOfUnlisted(ledger.lamportsOf(index));
    if (space === null) {
      // Token-2022 also closes mints, which are ordinary accounts with lamports of their own.
      ledger.noteMintTurned(index);
      ledger.moveLamports(index, to, ledger.lamportsOf(index), authority);
      return;
    }
    ledger.allocate(index, space);
  }
  const token = ledger.token(index, null);
  settleEmptied(ledger, index, token);
  const lamports = ledger.lamportsOf(index);
  const wrapped = token.isNative ? token.amountRaw : 0n;
  const party = ledger.partyOf(index, token);
  const spare = spareOf(ledger, index, token);
  // An owner who gets his own money back gets it in one row.
  const paid = spare > 0n && party !== ledger.keys.at(to) ? spare : 0n;
  const rent = lamports - wrapped - paid;
  ledger.shiftLamports(index, -lamports);
  ledger.shiftLamports(to, lamports);
  if (rent > 0n) ledger.payLamports(lamportRow('rent', null, -1, to, rent));
  if (paid > 0n) ledger.rows.push(tokenRow('rent', null, party, NATIVE, paid));
  if (wrapped + paid > 0n) pushUnwrap(ledger, index, token, to, wrapped + paid, authority);
  token.amountRaw = 0n;
  token.closed = true;
  addTurn(token, { row: ledger.rows.length, isOpening: false });
};

export const setOwner = (ledger: Ledger, index: number, owner: string): void => {
  const token = ledger.token(index, null);
  const party = ledger.partyOf(index, token);
  const asset = token.isNative ? NATIVE : token.mint;
  if (token.amountRaw > 0n && party !== owner && asset !== null)
    ledger.rows.push(tokenRow('owner_change', party, owner, asset, token.amountRaw, null, index, index));
  // Without the account's mint its wrapped lamports are unknown.
  const spare = party === owner || asset === null ? 0n : spareOf(ledger, index, token);
  if (spare > 0n)
    ledger.rows.push(
      tokenRow('rent', null, party, NATIVE, spare),
      tokenRow('owner_change', party, owner, NATIVE, spare),
      tokenRow('rent', owner, null, NATIVE, spare),
    );
  token.owner = owner;
};

export const expectWithheld = (ledger: Ledger, index: number, mint: string): void => {
  ledger.token(index, mint).receivesWithheld = true;
};
