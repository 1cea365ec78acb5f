import type { CompiledInstruction } from './compiled-instruction.ts';
import { readU32, readU64 } from './exact-integer.ts';
import type { Ledger } from './ledger.ts';

const CREATE_ACCOUNT = 0;
const TRANSFER = 2;
const CREATE_ACCOUNT_WITH_SEED = 3;
const WITHDRAW_NONCE = 5;
const ALLOCATE = 8;
const TRANSFER_WITH_SEED = 11;
const CREATE_ACCOUNT_ALLOW_PREFUND = 13;

/** The System program: bincode, a u32 tag first. */
export const applySystem = (ledger: Ledger, { data, start, end, accounts }: CompiledInstruction): void => {
  if (end - start < 4) return;
  switch (readU32(data, start)) {
    case CREATE_ACCOUNT:
      createAccount(
        ledger,
        at(accounts, 0),
        at(accounts, 1),
        readU64(data, start + 4, end),
        readU64(data, start + 12, end),
      );
      return;
    case TRANSFER:
      ledger.moveLamports(at(accounts, 0), at(accounts, 1), readU64(data, start + 4, end), null);
      return;
    case CREATE_ACCOUNT_WITH_SEED: {
      // base key, then the seed with its u64 length
      const seedEnd = start + 44 + readU32(data, start + 36);
      createAccount(
        ledger,
        at(accounts, 0),
        at(accounts, 1),
        readU64(data, seedEnd, end),
        readU64(data, seedEnd + 8, end),
      );
      return;
    }
    case WITHDRAW_NONCE: {
      // Left out where the authority is among the accounts already: the program looks for it among all that signed.
      const authority = accounts[4] === undefined ? null : ledger.keys.at(accounts[4]);
      ledger.moveLamports(at(accounts, 0), at(accounts, 1), readU64(data, start + 4, end), authority);
      return;
    }
    case ALLOCATE:
      ledger.allocate(at(accounts, 0), readU64(data, start + 4, end));
      return;
    case TRANSFER_WITH_SEED:
      ledger.moveLamports(
        at(accounts, 0),
        at(accounts, 2),
        readU64(data, start + 4, end),
        ledger.keys.at(at(accounts, 1)),
      );
      return;
    case CREATE_ACCOUNT_ALLOW_PREFUND: {
      const lamports = readU64(data, start + 4, end);
      const space = readU64(data, start + 12, end);
      if (lamports === 0n) ledger.allocate(at(accounts, 0), space);
      else createAccount(ledger, at(accounts, 1), at(accounts, 0), lamports, space);
      return;
    }
  }
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

/** An instruction with fewer accounts than it needs would have failed; −1 is refused as an account index. */
const at = (accounts: readonly number[], position: number): number => accounts[position] ?? -1;
