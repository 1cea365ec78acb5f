import type { CompiledInstruction } from './compiled-instruction.ts';
import { readU32, readU64 } from './exact-integer.ts';
import type { Ledger } from './ledger.ts';

const STAKE_SPLIT = 3;
const STAKE_WITHDRAW = 4;
const STAKE_MERGE = 7;
const STAKE_MOVE_STAKE = 16;
const STAKE_MOVE_LAMPORTS = 17;
const VOTE_WITHDRAW = 3;

const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111';

/** Instructions of the Stake program that move lamports; who signed is left out where the layout does not say. */
export const applyStake = (ledger: Ledger, { data, start, end, accounts }: CompiledInstruction): void => {
  if (end - start < 4) return;
  const first = accounts[0] ?? -1;
  const second = accounts[1] ?? -1;
  switch (readU32(data, start)) {
    case STAKE_SPLIT:
    case STAKE_MOVE_STAKE:
    case STAKE_MOVE_LAMPORTS:
      ledger.moveLamports(first, second, readU64(data, start + 4, end), signer(ledger, accounts[2]));
      return;
    case STAKE_WITHDRAW: {
      const authority = isClock(ledger, accounts[2]) ? accounts[4] : accounts[2];
      ledger.moveLamports(first, second, readU64(data, start + 4, end), signer(ledger, authority));
      return;
    }
    case STAKE_MERGE: {
      const authority = isClock(ledger, accounts[2]) ? accounts[4] : accounts[2];
      mergeStake(ledger, second, first, signer(ledger, authority));
      return;
    }
  }
};

/** A merged stake account hands over all it holds. */
export const mergeStake = (ledger: Ledger, from: number, to: number, authority: string | null): void => {
  const lamports = ledger.lamportsOf(ledger.checked(from));
  if (lamports > 0n) ledger.moveLamports(from, to, lamports, authority);
};

/** The Vote program moves lamports only when a vote account is withdrawn from. */
export const applyVote = (ledger: Ledger, { data, start, end, accounts }: CompiledInstruction): void => {
  if (end - start < 12 || readU32(data, start) !== VOTE_WITHDRAW) return;
  const authority = signer(ledger, accounts[2]);
  ledger.moveLamports(accounts[0] ?? -1, accounts[1] ?? -1, readU64(data, start + 4, end), authority);
};

/** The stake program takes its sysvars as accounts or leaves them out, and tells which by their address. */
const isClock = (ledger: Ledger, index: number | undefined): boolean =>
  index !== undefined && ledger.keys.at(index) === CLOCK_SYSVAR;

const signer = (ledger: Ledger, index: number | undefined): string | null =>
  index === undefined ? null : ledger.keys.at(index);
