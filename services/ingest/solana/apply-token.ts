import { encodeBase58 } from './base58.ts';
import type { CompiledInstruction } from './compiled-instruction.ts';
import { readU64 } from './exact-integer.ts';
import type { Ledger } from './ledger.ts';
import {
  changeSupply,
  closeToken,
  expectWithheld,
  openToken,
  setOwner,
  transferTokens,
} from './move-tokens.ts';
import { TOKEN_2022 } from './programs.ts';
import { syncNative, unwrap } from './wrap-sol.ts';

const INITIALIZE_ACCOUNT = 1;
const TRANSFER = 3;
const SET_AUTHORITY = 6;
const MINT_TO = 7;
const BURN = 8;
const CLOSE_ACCOUNT = 9;
const TRANSFER_CHECKED = 12;
const MINT_TO_CHECKED = 14;
const BURN_CHECKED = 15;
const INITIALIZE_ACCOUNT_2 = 16;
const SYNC_NATIVE = 17;
const INITIALIZE_ACCOUNT_3 = 18;
const TRANSFER_FEE_EXTENSION = 26;
const CONFIDENTIAL_TRANSFER_EXTENSION = 27;
const CONFIDENTIAL_MINT_BURN_EXTENSION = 42;
const UNWRAP_LAMPORTS = 45;
const PERMISSIONED_BURN_EXTENSION = 46;
const BATCH = 255;

const AUTHORITY_ACCOUNT_OWNER = 2;

/** An instruction with fewer accounts than it needs would have failed; −1 is refused as an account index. */
const at = (accounts: readonly number[], position: number): number => accounts[position] ?? -1;

const key = (ledger: Ledger, accounts: readonly number[], position: number): string =>
  ledger.keys.at(accounts[position] ?? -1);

/** `to`, `mint` and `signer` are places among the accounts of the instruction; the money leaves the first of them. */
const transfer = (
  ledger: Ledger,
  { accounts }: CompiledInstruction,
  to: number,
  mint: number | null,
  signer: number,
  amountRaw: bigint,
  feeRaw: bigint | null,
): void =>
  transferTokens(
    ledger,
    at(accounts, 0),
    at(accounts, to),
    amountRaw,
    key(ledger, accounts, signer),
    mint === null ? null : key(ledger, accounts, mint),
    feeRaw,
  );

/** `account`, `mint` and `signer` are places among the accounts of the instruction. */
const supply = (
  ledger: Ledger,
  { accounts }: CompiledInstruction,
  kind: 'mint' | 'burn' | 'wrap' | 'unwrap',
  account: number,
  mint: number,
  signer: number,
  amountRaw: bigint,
): void =>
  changeSupply(
    ledger,
    kind,
    at(accounts, account),
    key(ledger, accounts, mint),
    amountRaw,
    key(ledger, accounts, signer),
  );

/**
 * The Token program and Token-2022, whose tags agree. `withdrawExcessLamports` (38) names no amount, so what it moves
 * is found by balance difference.
 */
export const applyToken = (ledger: Ledger, program: number, instruction: CompiledInstruction): void => {
  const { data, start, end } = instruction;
  if (end <= start) return;
  const { accounts } = instruction;
  const unnamedFee = program === TOKEN_2022 ? null : 0n;
  switch (data[start]) {
    case TRANSFER:
      transfer(ledger, instruction, 1, null, 2, readU64(data, start + 1, end), unnamedFee);
      return;
    case TRANSFER_CHECKED:
      ledger.noteDecimals(key(ledger, accounts, 1), data[start + 9]);
      transfer(ledger, instruction, 2, 1, 3, readU64(data, start + 1, end), unnamedFee);
      return;
    case MINT_TO_CHECKED:
      ledger.noteDecimals(key(ledger, accounts, 0), data[start + 9]);
      supply(ledger, instruction, 'mint', 1, 0, 2, readU64(data, start + 1, end));
      return;
    case MINT_TO:
      supply(ledger, instruction, 'mint', 1, 0, 2, readU64(data, start + 1, end));
      return;
    case BURN_CHECKED:
      ledger.noteDecimals(key(ledger, accounts, 1), data[start + 9]);
      supply(ledger, instruction, 'burn', 0, 1, 2, readU64(data, start + 1, end));
      return;
    case BURN:
      supply(ledger, instruction, 'burn', 0, 1, 2, readU64(data, start + 1, end));
      return;
    case CLOSE_ACCOUNT:
      closeToken(ledger, at(accounts, 0), at(accounts, 1), key(ledger, accounts, 2), program === TOKEN_2022);
      return;
    case SYNC_NATIVE:
      syncNative(ledger, at(accounts, 0));
      return;
    case UNWRAP_LAMPORTS:
      unwrap(
        ledger,
        at(accounts, 0),
        at(accounts, 1),
        data[start + 1] === 1 ? readU64(data, start + 2, end) : null,
        key(ledger, accounts, 2),
      );
      return;
    case BATCH:
      applyBatch(ledger, program, instruction);
      return;
    case INITIALIZE_ACCOUNT:
    case INITIALIZE_ACCOUNT_2:
    case INITIALIZE_ACCOUNT_3:
    case SET_AUTHORITY:
      applyOwnership(ledger, instruction);
      return;
    case TRANSFER_FEE_EXTENSION:
      applyTransferFee(ledger, instruction);
      return;
    case CONFIDENTIAL_TRANSFER_EXTENSION:
      applyConfidential(ledger, instruction);
      return;
    case CONFIDENTIAL_MINT_BURN_EXTENSION:
      // 3 mint, 4 burn: amounts are encrypted.
      if (data[start + 1] === 3 || data[start + 1] === 4) ledger.hasConfidentialTransfer = true;
      return;
    case PERMISSIONED_BURN_EXTENSION:
      applyPermissionedBurn(ledger, instruction);
      return;
  }
};

/** Whose an account is: said when it is opened, and changed later. */
const applyOwnership = (ledger: Ledger, { data, start, end, accounts }: CompiledInstruction): void => {
  switch (data[start]) {
    case INITIALIZE_ACCOUNT:
      openToken(ledger, at(accounts, 0), key(ledger, accounts, 1), key(ledger, accounts, 2));
      return;
    case INITIALIZE_ACCOUNT_2:
    case INITIALIZE_ACCOUNT_3:
      if (end - start >= 33)
        openToken(ledger, at(accounts, 0), key(ledger, accounts, 1), encodeBase58(data, start + 1, 32));
      return;
    case SET_AUTHORITY:
      if (data[start + 1] === AUTHORITY_ACCOUNT_OWNER && data[start + 2] === 1 && end - start >= 35)
        setOwner(ledger, at(accounts, 0), encodeBase58(data, start + 3, 32));
  }
};

const applyTransferFee = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, end, accounts } = instruction;
  switch (data[start + 1]) {
    case 1: {
      const feeRaw = readU64(data, start + 11, end);
      ledger.noteDecimals(key(ledger, accounts, 1), data[start + 10]);
      transfer(ledger, instruction, 2, 1, 3, readU64(data, start + 2, end), feeRaw);
      return;
    }
    case 2:
    case 3:
      expectWithheld(ledger, at(accounts, 1), key(ledger, accounts, 0));
      return;
  }
};

const applyConfidential = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, end, accounts } = instruction;
  switch (data[start + 1]) {
    case 5:
      supply(ledger, instruction, 'wrap', 0, 1, 2, readU64(data, start + 2, end));
      return;
    case 6:
      supply(ledger, instruction, 'unwrap', 0, 1, accounts.length - 1, readU64(data, start + 2, end));
      return;
    case 7:
    case 13:
      ledger.hasConfidentialTransfer = true;
  }
};

const applyPermissionedBurn = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, end } = instruction;
  const sub = data[start + 1];
  if (sub === 1 || sub === 2) supply(ledger, instruction, 'burn', 0, 1, 3, readU64(data, start + 2, end));
  else if (sub === 3) ledger.hasConfidentialTransfer = true;
};

/** Several instructions in one: for each a count of accounts, a length and the data; the accounts follow each other. */
const applyBatch = (
  ledger: Ledger,
  program: number,
  { data, start, end, accounts }: CompiledInstruction,
): void => {
  let position = start + 1;
  let account = 0;
  while (position + 2 <= end) {
    const accountCount = data[position] ?? 0;
    const dataEnd = position + 2 + (data[position + 1] ?? 0);
    const inner = accounts.slice(account, account + accountCount);
    // Nested batches are refused by the program, so they are here too.
    if (dataEnd > end || data[position + 2] === BATCH) return;
    applyToken(ledger, program, { data, start: position + 2, end: dataEnd, accounts: inner });
    position = dataEnd;
    account += accountCount;
  }
};
