import { readU32 } from '../encoding/exact-integer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { accountAt, amountAt, type CompiledInstruction } from './compiled-instruction.ts';

const STAKE_SPLIT = 3;
const STAKE_WITHDRAW = 4;
const STAKE_MERGE = 7;
const STAKE_MOVE_STAKE = 16;
const STAKE_MOVE_LAMPORTS = 17;
const VOTE_WITHDRAW = 3;

const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111';

/** Instructions of the Stake program that move lamports; the signer is omitted if the layout does not tell it. */
export const applyStake = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, end, accounts } = instruction;
  if (end - start < 4) return;
  const first = accountAt(instruction, 0);
  const second = accountAt(instruction, 1);
  switch (readU32(data, start)) {
    case STAKE_SPLIT:
    case STAKE_MOVE_STAKE:
    case STAKE_MOVE_LAMPORTS:
      ledger.moveLamports(first, second, amountAt(instruction, 4), signer(ledger, accounts[2]));
      return;
    case STAKE_WITHDRAW:
      ledger.moveLamports(first, second, amountAt(instruction, 4), authorityBehindSysvars(ledger, accounts));
      return;
    case STAKE_MERGE:
      mergeStake(ledger, second, first, authorityBehindSysvars(ledger, accounts));
      return;
  }
};

/** A merged stake account hands over everything. */
export const mergeStake = (ledger: Ledger, from: number, to: number, authority: string | null): void => {
  const lamports = ledger.lamportsOf(ledger.checked(from));
  if (lamports > 0n) ledger.moveLamports(from, to, lamports, authority);
};

/** The Vote program moves lamports only in withdrawals. */
export const applyVote = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, end, accounts } = instruction;
  if (end - start < 12 || readU32(data, start) !== VOTE_WITHDRAW) return;
  const [from, to] = [accountAt(instruction, 0), accountAt(instruction, 1)];
  ledger.moveLamports(from, to, amountAt(instruction, 4), signer(ledger, accounts[2]));
};

/** The stake program may take sysvars as accounts; their addresses tell. */
const authorityBehindSysvars = (ledger: Ledger, accounts: readonly number[]): string | null =>
  signer(ledger, signer(ledger, accounts[2]) === CLOCK_SYSVAR ? accounts[4] : accounts[2]);

const signer = (ledger: Ledger, index: number | undefined): string | null =>
  index === undefined ? null : ledger.keys.at(index);
