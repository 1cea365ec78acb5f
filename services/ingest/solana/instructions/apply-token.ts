import { readTokenControl } from '../control/read-token-control.ts';
import { encodeBase58 } from '../encoding/base58.ts';
import { TOKEN_2022 } from '../encoding/programs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  changeSupply,
  closeToken,
  expectWithheld,
  openToken,
  setOwner,
  transferTokens,
} from '../ledger/move-tokens.ts';
import { syncNative, unwrap } from '../ledger/wrap-sol.ts';
import { accountAt, amountAt, type CompiledInstruction } from './compiled-instruction.ts';

const INITIALIZE_MINT = 0;
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
const INITIALIZE_MINT_2 = 20;
const TRANSFER_FEE_EXTENSION = 26;
const CONFIDENTIAL_TRANSFER_EXTENSION = 27;
const CONFIDENTIAL_TRANSFER_FEE_EXTENSION = 37;
const CONFIDENTIAL_MINT_BURN_EXTENSION = 42;
const UNWRAP_LAMPORTS = 45;
const PERMISSIONED_BURN_EXTENSION = 46;
const BATCH = 255;

const AUTHORITY_ACCOUNT_OWNER = 2;

const key = (ledger: Ledger, instruction: CompiledInstruction, place: number): string =>
  ledger.keys.at(accountAt(instruction, place));

/** `to`, `mint` and `signer` are account indexes of the instruction; the money leaves the first account. */
const transfer = (
  ledger: Ledger,
  instruction: CompiledInstruction,
  to: number,
  mint: number | null,
  signer: number,
  amountRaw: bigint,
  feeRaw: bigint | null,
): void =>
  transferTokens(
    ledger,
    accountAt(instruction, 0),
    accountAt(instruction, to),
    amountRaw,
    key(ledger, instruction, signer),
    mint === null ? null : key(ledger, instruction, mint),
    feeRaw,
  );

/** `account`, `mint` and `signer` are account indexes of the instruction. */
const supply = (
  ledger: Ledger,
  instruction: CompiledInstruction,
  kind: 'mint' | 'burn' | 'wrap' | 'unwrap',
  account: number,
  mint: number,
  signer: number,
  amountRaw: bigint,
): void =>
  changeSupply(
    ledger,
    kind,
    accountAt(instruction, account),
    key(ledger, instruction, mint),
    amountRaw,
    key(ledger, instruction, signer),
  );

/**
 * The Token program and Token-2022, whose tags agree. `withdrawExcessLamports` (38) names no amount, so its
 * movement follows from balance differences.
 */
export const applyToken = (ledger: Ledger, program: number, instruction: CompiledInstruction): void => {
  const { data, start, end } = instruction;
  if (end <= start) return;
  if (data[start] !== TRANSFER && data[start] !== TRANSFER_CHECKED)
    readTokenControl(ledger, program, instruction);
  const isExtended = program === TOKEN_2022;
  const unnamedFee = isExtended ? null : 0n;
  const first = accountAt(instruction, 0);
  const second = accountAt(instruction, 1);
  switch (data[start]) {
    case TRANSFER:
      transfer(ledger, instruction, 1, null, 2, amountAt(instruction, 1), unnamedFee);
      return;
    case TRANSFER_CHECKED:
      ledger.noteDecimals(key(ledger, instruction, 1), data[start + 9]);
      transfer(ledger, instruction, 2, 1, 3, amountAt(instruction, 1), unnamedFee);
      return;
    case MINT_TO_CHECKED:
      ledger.noteDecimals(key(ledger, instruction, 0), data[start + 9]);
      supply(ledger, instruction, 'mint', 1, 0, 2, amountAt(instruction, 1));
      return;
    case MINT_TO:
      supply(ledger, instruction, 'mint', 1, 0, 2, amountAt(instruction, 1));
      return;
    case BURN_CHECKED:
      ledger.noteDecimals(key(ledger, instruction, 1), data[start + 9]);
      supply(ledger, instruction, 'burn', 0, 1, 2, amountAt(instruction, 1));
      return;
    case BURN:
      supply(ledger, instruction, 'burn', 0, 1, 2, amountAt(instruction, 1));
      return;
    case CLOSE_ACCOUNT:
      closeToken(ledger, first, second, key(ledger, instruction, 2), isExtended);
      return;
    case INITIALIZE_MINT:
    case INITIALIZE_MINT_2:
      ledger.noteMintTurned(first);
      return;
    case SYNC_NATIVE:
      syncNative(ledger, first);
      return;
    case UNWRAP_LAMPORTS: {
      const amountRaw = data[start + 1] === 1 ? amountAt(instruction, 2) : null;
      unwrap(ledger, first, second, amountRaw, key(ledger, instruction, 2));
      return;
    }
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
    case CONFIDENTIAL_TRANSFER_FEE_EXTENSION:
      // 1 and 2 pay withheld fees to a recipient, 3 collects them: amounts are encrypted.
      if ([1, 2, 3].includes(data[start + 1] ?? 0)) ledger.hidden = 'confidential_transfer';
      return;
    case CONFIDENTIAL_MINT_BURN_EXTENSION:
      // 3 mint, 4 burn: amounts are encrypted.
      if (data[start + 1] === 3 || data[start + 1] === 4) ledger.hidden = 'confidential_transfer';
      return;
    case PERMISSIONED_BURN_EXTENSION:
      applyPermissionedBurn(ledger, instruction);
      return;
  }
};

/** An account's owner: set when it is opened, and changed later. */
const applyOwnership = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, end } = instruction;
  const account = accountAt(instruction, 0);
  switch (data[start]) {
    case INITIALIZE_ACCOUNT:
      openToken(ledger, account, key(ledger, instruction, 1), key(ledger, instruction, 2));
      return;
    case INITIALIZE_ACCOUNT_2:
    case INITIALIZE_ACCOUNT_3:
      if (end - start >= 33)
        openToken(ledger, account, key(ledger, instruction, 1), encodeBase58(data, start + 1, 32));
      return;
    case SET_AUTHORITY:
      if (data[start + 1] === AUTHORITY_ACCOUNT_OWNER && data[start + 2] === 1 && end - start >= 35)
        setOwner(ledger, account, encodeBase58(data, start + 3, 32));
  }
};

const applyTransferFee = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start } = instruction;
  switch (data[start + 1]) {
    case 1: {
      const feeRaw = amountAt(instruction, 11);
      ledger.noteDecimals(key(ledger, instruction, 1), data[start + 10]);
      transfer(ledger, instruction, 2, 1, 3, amountAt(instruction, 2), feeRaw);
      return;
    }
    case 2:
    case 3:
      expectWithheld(ledger, accountAt(instruction, 1), key(ledger, instruction, 0));
      return;
  }
};

const applyConfidential = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, accounts } = instruction;
  switch (data[start + 1]) {
    case 5:
      supply(ledger, instruction, 'wrap', 0, 1, 2, amountAt(instruction, 2));
      return;
    case 6:
      supply(ledger, instruction, 'unwrap', 0, 1, accounts.length - 1, amountAt(instruction, 2));
      return;
    case 7:
    case 13:
      ledger.hidden = 'confidential_transfer';
  }
};

const applyPermissionedBurn = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start } = instruction;
  const sub = data[start + 1];
  if (sub === 1 || sub === 2) supply(ledger, instruction, 'burn', 0, 1, 3, amountAt(instruction, 2));
  else if (sub === 3) ledger.hidden = 'confidential_transfer';
};

/** Several instructions in one: each with account count, length and data; the accounts follow each other. */
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
    // The program refuses nested batches.
    if (dataEnd > end || data[position + 2] === BATCH) return;
    applyToken(ledger, program, { data, start: position + 2, end: dataEnd, accounts: inner });
    position = dataEnd;
    account += accountCount;
  }
};
