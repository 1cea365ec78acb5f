import { readU32 } from '../encoding/exact-integer.ts';
import { STAKE, SYSTEM } from '../encoding/programs.ts';
import { accountAt, type CompiledInstruction } from '../instructions/compiled-instruction.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { BorshReader } from './borsh-reader.ts';
import { noteAssigned, noteAuthority } from './note-control.ts';

const ASSIGN = 1;
const AUTHORIZE_NONCE = 7;
const ASSIGN_WITH_SEED = 10;
const AUTHORIZE = 1;
const AUTHORIZE_CHECKED = { stake: 10, vote: 7 } as const;

/** Authorities over wallets, nonces, stake and vote accounts: System, Stake and Vote programs, a u32 tag first. */
export const readAccountControl = (
  ledger: Ledger,
  program: number,
  instruction: CompiledInstruction,
): void => {
  const { data, start, end } = instruction;
  if (end - start < 4) return;
  const tag = readU32(data, start);
  if (program === SYSTEM) readSystem(ledger, tag, instruction);
  else readAuthorize(ledger, tag, program === STAKE ? 'stake' : 'vote', instruction);
};

const readSystem = (ledger: Ledger, tag: number, instruction: CompiledInstruction): void => {
  const [first, second] = [accountAt(instruction, 0), accountAt(instruction, 1)];
  const reader = new BorshReader(instruction, 4);
  switch (tag) {
    case ASSIGN: {
      const program = reader.key();
      if (program !== undefined) noteAssigned(ledger, first, first, program);
      return;
    }
    case ASSIGN_WITH_SEED: {
      reader.key();
      const length = reader.u32() ?? 0;
      reader.skip(4 + length);
      const program = reader.key();
      if (program !== undefined) noteAssigned(ledger, first, second, program);
      return;
    }
    case AUTHORIZE_NONCE: {
      const party = reader.key();
      if (party !== undefined)
        noteAuthority(ledger, ledger.keys.at(first), 'nonce', ledger.keys.at(second), party);
    }
  }
};

const readAuthorize = (
  ledger: Ledger,
  tag: number,
  own: 'stake' | 'vote',
  instruction: CompiledInstruction,
): void => {
  const isChecked = tag === AUTHORIZE_CHECKED[own];
  if (tag !== AUTHORIZE && !isChecked) return;
  const key = (place: number): string => ledger.keys.at(accountAt(instruction, place));
  const reader = new BorshReader(instruction, 4);
  const party = isChecked ? key(3) : reader.key();
  const type = reader.u32();
  if (party === undefined || type === undefined || type > 1) return;
  noteAuthority(ledger, key(0), type === 0 ? own : 'withdraw', key(2), party);
};
