import { NATIVE } from '../../../investigate/model/movement.ts';
import { exactAmount, exactGrowth } from '../encoding/exact-integer.ts';
import { TransactionFormatError } from '../transaction-format-error.ts';
import type { Ledger } from './ledger.ts';
import { addChange, type BalanceChanges, pairBalances } from './pair-balances.ts';
import { type Row, tokenRow } from './row.ts';
import { amountAfter } from './settle-tokens.ts';
import type { TokenAccount } from './token-account.ts';

/**
 * Adds rows for lamports that programs moved without an instruction: `program`, or `rent` if they are nobody's.
 * @throws TransactionFormatError `balances_mismatch` if the balances cannot be true
 */
export const settleLamports = (ledger: Ledger): void => {
  const changes: BalanceChanges = new Map();
  for (let index = 0; index < ledger.keys.count; index++) {
    const token = ledger.tokens[index];
    const rest = unexplainedLamports(ledger, index);
    if (token === undefined) {
      if (rest !== 0n) addChange(changes, ledger.keys.at(index), rest);
      continue;
    }
    standAlone(ledger, index, token);
    for (const { party, amountRaw } of token.paidIn ?? []) addChange(changes, party, amountRaw);
    const wrapped = token.isNative ? unexplainedWrapped(ledger, index, token, rest) : 0n;
    if (wrapped !== 0n) addChange(changes, ledger.partyOf(index, token), wrapped);
    addChange(changes, holderOf(ledger, index, token, rest - wrapped), rest - wrapped);
  }
  if (changes.size === 0) return;
  checkConserved(ledger, changes);
  for (const { from, to, amountRaw } of pairBalances(changes)) {
    const kind = from === null || to === null ? 'rent' : 'program';
    if (from !== to) ledger.rows.push(tokenRow(kind, from, to, NATIVE, amountRaw));
  }
};

/**
 * The owner of unwrapped lamports that entered or left a token account: its owner while it is open, the address
 * itself once it is closed, nobody if it was opened, or if nested calls are not recorded.
 */
const holderOf = (ledger: Ledger, index: number, token: TokenAccount, changeRaw: bigint): string | null => {
  if (token.closed && token.after === null) return ledger.keys.at(index);
  if (token.before === null || token.after === null || token.turns.length > 0 || changeRaw === 0n)
    return null;
  const party = ledger.partyOf(index, token);
  if (changeRaw > 0n) ledger.rows.push(tokenRow('rent', party, null, NATIVE, changeRaw));
  else ledger.rows.push(tokenRow('rent', null, party, NATIVE, -changeRaw));
  return party;
};

/**
 * Instructions only move lamports, so the unexplained part equals the change of all balances besides the fee. No
 * transaction creates lamports; one may lose some as unreported rent.
 */
const checkConserved = ({ meta, knowledge }: Ledger, changes: BalanceChanges): void => {
  let gain = 0n;
  for (const change of changes.values()) gain += change;
  if (gain === 0n || (gain < 0n && !(knowledge.rentIsTold && Array.isArray(meta.rewards)))) return;
  throw new TransactionFormatError(
    'balances_mismatch',
    `the balances gained ${gain} lamports besides the fee, and a transaction makes and destroys none`,
  );
};

/** Lamports at an address before or after it was a token account belong to the address itself. */
const standAlone = ({ meta, keys, rows }: Ledger, index: number, token: TokenAccount): void => {
  const { before, after, opened, closed, foundRaw } = token;
  const isUnseen = before === null && after !== null && !opened;
  const found = isUnseen ? exactAmount(meta.preBalances[index]) : foundRaw;
  const left = after === null && before !== null && !closed ? exactAmount(meta.postBalances[index]) : 0n;
  if (found > 0n) rows.push(tokenRow('rent', keys.at(index), null, NATIVE, found));
  // Paid out before it was opened, and put there by no instruction.
  if (found < 0n) rows.push(tokenRow('rent', null, keys.at(index), NATIVE, -found));
  if (left > 0n) rows.push(tokenRow('rent', null, keys.at(index), NATIVE, left));
};

const unexplainedLamports = ({ meta, lamportChanges }: Ledger, index: number): bigint => {
  const before = meta.preBalances[index];
  const after = meta.postBalances[index];
  const change = lamportChanges[index];
  // Most accounts of a transaction are only read.
  if (before === after && change === undefined) return 0n;
  return exactGrowth(after, before) - (change ?? 0n);
};

const unexplainedWrapped = (ledger: Ledger, index: number, token: TokenAccount, rest: bigint): bigint => {
  if (!token.touched && token.before?.uiTokenAmount.amount === token.after?.uiTokenAmount.amount) return 0n;
  const { amountRaw } = ledger.token(index, null);
  const expected = amountAfter(token);
  return expected === null ? rest : expected - amountRaw;
};

/**
 * A token transfer without a mint, in a block without token balances: if lamports moved along, it was wrapped SOL,
 * because nothing else moves lamports between token accounts.
 */
export const findWrappedTransfers = (ledger: Ledger): void => {
  for (const row of ledger.rows) {
    if (row.asset !== null || row.isLamports) continue;
    const { fromIndex, toIndex, amountRaw } = row;
    if (fromIndex === toIndex || !movedLamports(ledger, row)) continue;
    for (const index of [fromIndex, toIndex]) {
      const token = ledger.tokens[index];
      if (token !== undefined) token.isNative = true;
    }
    row.asset = NATIVE;
    ledger.shiftLamports(fromIndex, -amountRaw);
    ledger.shiftLamports(toIndex, amountRaw);
  }
};

const movedLamports = (ledger: Ledger, { fromIndex, toIndex }: Row): boolean =>
  unexplainedLamports(ledger, fromIndex) !== 0n || unexplainedLamports(ledger, toIndex) !== 0n;
