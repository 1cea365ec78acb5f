import { NATIVE } from '../../../investigate/model/movement.ts';
import { exactAmount } from '../encoding/exact-integer.ts';
import type { Ledger } from './ledger.ts';
import { addChange, type BalanceChanges, pairBalances } from './pair-balances.ts';
import { tokenRow } from './row.ts';
import type { TokenAccount } from './token-account.ts';
import { withhold } from './withheld-fees.ts';

/**
 * Compares each token account's replayed amount with its final balance, and adds missing rows: withheld fees,
 * changed owners, and, if nested calls are not recorded, amounts paired by balance difference. Wrapped SOL is
 * settled with the lamports. @returns whether unexplained amounts moved
 */
export const settleTokens = (ledger: Ledger): boolean => {
  for (let index = 0; index < ledger.tokens.length; index++) {
    const token = ledger.tokens[index];
    if (token === undefined) continue;
    if (isUnchanged(token)) continue;
    handOver(ledger, index, token);
    const expected = amountAfter(token);
    if (expected !== null) settleAccount(ledger, index, token, expected);
  }
  if (ledger.unexplained === null) return false;
  for (const [mint, changes] of ledger.unexplained) pushPairs(ledger, mint, changes);
  return true;
};

/**
 * The same for an account that was closed or opened anew: only an empty account can be closed, so a remainder was
 * a withheld fee. Without a listed balance its amount is unknown.
 */
export const settleEmptied = (ledger: Ledger, index: number, token: TokenAccount): void => {
  if (token.before !== null || token.opened) settleAccount(ledger, index, token, 0n);
  token.receivesWithheld = false;
};

const isUnchanged = ({ touched, before, after }: TokenAccount): boolean =>
  !touched &&
  before !== null &&
  after !== null &&
  before.uiTokenAmount.amount === after.uiTokenAmount.amount &&
  before.owner === after.owner;

/** The final amount of the account; null if the block does not say. */
export const amountAfter = (token: TokenAccount): bigint | null => {
  if (token.after !== null) return exactAmount(token.after.uiTokenAmount.amount);
  return token.before !== null || (token.opened && token.closed) ? 0n : null;
};

/** An owner that changed without a recorded instruction. */
const handOver = (ledger: Ledger, index: number, token: TokenAccount): void => {
  const owner = token.after?.owner;
  if (typeof owner !== 'string' || owner === '' || owner === token.owner) return;
  const { amountRaw } = ledger.token(index, null);
  const asset = token.isNative ? NATIVE : token.mint;
  if (amountRaw > 0n && asset !== null)
    ledger.rows.push(
      tokenRow('owner_change', ledger.partyOf(index, token), owner, asset, amountRaw, null, index, index),
    );
  token.owner = owner;
};

/** Explains an account's shortfall by Token-2022 fees; the rest is left to the ledger. */
const settleAccount = (ledger: Ledger, index: number, token: TokenAccount, expected: bigint): void => {
  if (token.isNative || token.mint === null) return;
  const rest = explainByFees(ledger, index, token, expected);
  if (rest === 0n) return;
  ledger.unexplained ??= new Map();
  const changes: BalanceChanges = ledger.unexplained.get(token.mint) ?? new Map();
  ledger.unexplained.set(token.mint, changes);
  addChange(changes, ledger.partyOf(index, token), rest);
};

const explainByFees = (ledger: Ledger, index: number, token: TokenAccount, expected: bigint): bigint => {
  const { amountRaw } = ledger.token(index, null);
  const rest = expected - amountRaw;
  if (rest > 0n && token.receivesWithheld) {
    ledger.rows.push(tokenRow('fee', null, ledger.partyOf(index, token), token.mint, rest));
    return 0n;
  }
  if (rest >= 0n) return rest;
  // Differences from before it was opened or closed are already settled.
  const start = token.turns.at(-1)?.row ?? 0;
  const rows = ledger.rows.slice(start).filter(({ toIndex, isLamports }) => toIndex === index && !isLamports);
  return rest + withhold(rows, -rest);
};

const pushPairs = (ledger: Ledger, mint: string, changes: BalanceChanges): void => {
  for (const { from, to, amountRaw } of pairBalances(changes)) {
    const kind = from === null ? 'mint' : to === null ? 'burn' : 'program';
    ledger.rows.push(tokenRow(kind, from, to, mint, amountRaw));
  }
};
