import { TOKEN_2022 } from '../encoding/programs.ts';
import { accountAt, amountAt, type CompiledInstruction } from '../instructions/compiled-instruction.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { BorshReader } from './borsh-reader.ts';
import {
  noteApproval,
  noteClosing,
  noteFrozen,
  noteGiven,
  noteMint,
  noteTokenAuthority,
} from './note-control.ts';
import { readTokenMetadata } from './read-token-metadata.ts';

const INITIALIZE_MINT = 0;
const APPROVE = 4;
const REVOKE = 5;
const SET_AUTHORITY = 6;
const CLOSE_ACCOUNT = 9;
const FREEZE_ACCOUNT = 10;
const THAW_ACCOUNT = 11;
const APPROVE_CHECKED = 13;
const INITIALIZE_MINT_2 = 20;
const MINT_CLOSE_EXTENSION = 25;
const TRANSFER_FEE_EXTENSION = 26;
const PERMANENT_DELEGATE_EXTENSION = 35;
const TRANSFER_HOOK_EXTENSION = 36;
const PAUSABLE_EXTENSION = 44;

/** Records what a Token program's instruction says of control, before it is applied. */
export const readTokenControl = (ledger: Ledger, program: number, instruction: CompiledInstruction): void => {
  const { data, start } = instruction;
  const key = (place: number): string => ledger.keys.at(accountAt(instruction, place));
  const first = accountAt(instruction, 0);
  switch (data[start]) {
    case INITIALIZE_MINT:
    case INITIALIZE_MINT_2: {
      const reader = new BorshReader(instruction, 2);
      const minter = reader.key();
      const freezer = reader.optionalKey();
      if (minter !== undefined) noteMint(ledger, first, minter, freezer ?? null);
      return;
    }
    case SET_AUTHORITY: {
      const reader = new BorshReader(instruction, 1);
      const type = reader.byte();
      const party = reader.optionalKey();
      if (type !== undefined && party !== undefined) noteTokenAuthority(ledger, first, type, key(1), party);
      return;
    }
    case APPROVE:
      noteApproval(ledger, first, key(2), key(1), amountAt(instruction, 1), null);
      return;
    case APPROVE_CHECKED:
      noteApproval(ledger, first, key(3), key(2), amountAt(instruction, 1), key(1));
      return;
    case REVOKE:
      noteApproval(ledger, first, key(1), null, 0n, null);
      return;
    case FREEZE_ACCOUNT:
    case THAW_ACCOUNT:
      noteFrozen(ledger, data[start] === FREEZE_ACCOUNT ? 'frozen' : 'thawed', first, key(1), key(2));
      return;
    case CLOSE_ACCOUNT:
      noteClosing(ledger, first, key(2));
      return;
    default:
      if (program === TOKEN_2022) readExtensions(ledger, instruction);
  }
};

const INITIALIZE = 0;

/** A new mint's authorities, and a token's description. */
const readExtensions = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start } = instruction;
  const mint = (): string => ledger.keys.at(accountAt(instruction, 0));
  switch (data[start]) {
    case MINT_CLOSE_EXTENSION:
      noteGiven(ledger, mint(), 'other:6', new BorshReader(instruction, 1).optionalKey() ?? null);
      return;
    case PERMANENT_DELEGATE_EXTENSION:
      noteGiven(ledger, mint(), 'permanent_delegate', new BorshReader(instruction, 1).key() ?? null);
      return;
    case TRANSFER_FEE_EXTENSION:
      if (data[start + 1] !== INITIALIZE) return;
      noteGiven(ledger, mint(), 'transfer_fee', new BorshReader(instruction, 2).optionalKey() ?? null);
      return;
    case TRANSFER_HOOK_EXTENSION:
    case PAUSABLE_EXTENSION: {
      if (data[start + 1] !== INITIALIZE) return;
      const role = data[start] === PAUSABLE_EXTENSION ? 'pause' : 'transfer_hook';
      noteGiven(ledger, mint(), role, new BorshReader(instruction, 2).keyOrZeros() ?? null);
      return;
    }
    default:
      readTokenMetadata(ledger, instruction);
  }
};
