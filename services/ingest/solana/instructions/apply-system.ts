import { readU32 } from '../encoding/exact-integer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { accountAt, amountAt, type CompiledInstruction } from './compiled-instruction.ts';

const CREATE_ACCOUNT = 0;
const TRANSFER = 2;
const CREATE_ACCOUNT_WITH_SEED = 3;
const WITHDRAW_NONCE = 5;
const ALLOCATE = 8;
const TRANSFER_WITH_SEED = 11;
const CREATE_ACCOUNT_ALLOW_PREFUND = 13;

/** The System program: bincode, a u32 tag first. */
export const applySystem = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, end } = instruction;
  if (end - start < 4) return;
  const first = accountAt(instruction, 0);
  const second = accountAt(instruction, 1);
  switch (readU32(data, start)) {
    case CREATE_ACCOUNT:
      createAccount(ledger, first, second, amountAt(instruction, 4), amountAt(instruction, 12));
      return;
    case TRANSFER:
      ledger.moveLamports(first, second, amountAt(instruction, 4), null);
      return;
    case CREATE_ACCOUNT_WITH_SEED: {
      // base key, then the seed with its u64 length
      const seedEnd = 44 + readU32(data, start + 36);
      createAccount(
        ledger,
        first,
        second,
        amountAt(instruction, seedEnd),
        amountAt(instruction, seedEnd + 8),
      );
      return;
    }
    case WITHDRAW_NONCE: {
      // Omitted if the authority is among the accounts: the program searches all signers.
      const authority = instruction.accounts[4];
      const signer = authority === undefined ? null : ledger.keys.at(authority);
      ledger.moveLamports(first, second, amountAt(instruction, 4), signer);
      return;
    }
    case ALLOCATE:
      ledger.allocate(first, amountAt(instruction, 4));
      return;
    case TRANSFER_WITH_SEED:
      ledger.moveLamports(first, accountAt(instruction, 2), amountAt(instruction, 4), ledger.keys.at(second));
      return;
    case CREATE_ACCOUNT_ALLOW_PREFUND:
      openPrefunded(ledger, instruction);
      return;
  }
};

/** The payer may be omitted if nothing is paid. */
const openPrefunded = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const [lamports, space] = [amountAt(instruction, 4), amountAt(instruction, 12)];
  const opened = accountAt(instruction, 0);
  if (lamports === 0n) ledger.allocate(opened, space);
  else createAccount(ledger, accountAt(instruction, 1), opened, lamports, space);
};

/** Opening an account moves its lamports; zero lamports (paid in advance) are no movement. */
export const createAccount = (
  ledger: Ledger,
  from: number,
  to: number,
  lamports: bigint,
  space: bigint,
): void => {
  if (lamports > 0n) ledger.moveLamports(from, to, lamports, null);
  ledger.allocate(to, space);
};
