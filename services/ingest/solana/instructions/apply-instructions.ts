import { readAccountControl } from '../control/read-account-control.ts';
import { readLoader } from '../control/read-loader.ts';
import { readMetaplex } from '../control/read-metaplex.ts';
import { decodeBase58Into } from '../encoding/base58.ts';
import {
  ASSOCIATED_TOKEN,
  BRIDGE,
  COMPRESSED_TOKEN,
  isSilent,
  LIGHT_SYSTEM,
  LOADER,
  LOADER_4,
  METAPLEX,
  programKind,
  STAKE,
  SYSTEM,
  TOKEN,
  TOKEN_2022,
  VOTE,
} from '../encoding/programs.ts';
import type { RawInstruction } from '../encoding/raw-block.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openAssociated } from '../ledger/move-tokens.ts';
import { TransactionFormatError } from '../transaction-format-error.ts';
import { applyCompressedSol, applyCompressedToken } from './apply-compressed.ts';
import { applyParsed } from './apply-parsed.ts';
import { applyStake, applyVote } from './apply-stake-vote.ts';
import { applySystem } from './apply-system.ts';
import { applyToken } from './apply-token.ts';
import type { CompiledInstruction } from './compiled-instruction.ts';

/** Above any instruction data: a nested call carries 10 KiB at most. */
const DATA_BYTES_MAX = 12_288;

// One reused instruction object: a block has thousands, and none outlives its application.
const scratchData = new Uint8Array(DATA_BYTES_MAX);
const scratch: CompiledInstruction = { data: scratchData, start: 0, end: 0, accounts: [] };

/** Applies one instruction of the JSON forms: compiled, partially decoded or parsed. */
export const applyInstruction = (ledger: Ledger, instruction: RawInstruction): void => {
  const { programIdIndex, programId } = instruction;
  const program =
    typeof programIdIndex === 'number'
      ? ledger.keys.programKindAt(programIdIndex)
      : typeof programId === 'string'
        ? programKind(programId)
        : unknownProgram();
  if (isSilent(program)) return;
  // This program works through nested calls. Its own instruction is read only if the node did not record those.
  if (program === ASSOCIATED_TOKEN && ledger.meta.innerInstructions) return;
  if (program === BRIDGE) {
    noteBridgeCall(ledger, instruction);
    return;
  }
  if (instruction.parsed !== undefined) {
    applyParsed(ledger, program, instruction.parsed);
    return;
  }
  compile(ledger, instruction);
  applyCompiled(ledger, program, scratch);
};

const unknownProgram = (): never => {
  throw new TransactionFormatError('bad_instruction', 'an instruction names no program');
};

const noteBridgeCall = (ledger: Ledger, instruction: RawInstruction): void => {
  const { keys } = ledger;
  const { programIdIndex, programId = '', stackHeight } = instruction;
  compile(ledger, instruction);
  const program = typeof programIdIndex === 'number' ? keys.at(programIdIndex) : programId;
  const data = Buffer.from(scratchData.subarray(0, scratch.end));
  ledger.noteBridgeCall(program, scratch.accounts, data, stackHeight ?? 1);
};

const compile = (ledger: Ledger, { accounts, data }: RawInstruction): void => {
  if (!Array.isArray(accounts) || typeof data !== 'string')
    throw new TransactionFormatError('bad_instruction', 'an instruction lacks its accounts or data');
  scratch.accounts = accounts.map((account) =>
    typeof account === 'number' ? account : ledger.keys.indexOf(account),
  );
  scratch.data = scratchData;
  scratch.start = 0;
  scratch.end = decodeBase58Into(data, scratchData);
};

export const applyCompiled = (ledger: Ledger, program: number, instruction: CompiledInstruction): void => {
  switch (program) {
    case TOKEN:
    case TOKEN_2022:
      applyToken(ledger, program, instruction);
      return;
    case SYSTEM:
      readAccountControl(ledger, program, instruction);
      applySystem(ledger, instruction);
      return;
    case VOTE:
      readAccountControl(ledger, program, instruction);
      applyVote(ledger, instruction);
      return;
    case STAKE:
      readAccountControl(ledger, program, instruction);
      applyStake(ledger, instruction);
      return;
    case LOADER:
    case LOADER_4:
      readLoader(ledger, program, instruction);
      return;
    case COMPRESSED_TOKEN:
      applyCompressedToken(ledger, instruction);
      return;
    case LIGHT_SYSTEM:
      applyCompressedSol(ledger, instruction);
      return;
    case METAPLEX:
      readMetaplex(ledger, instruction);
      return;
    case ASSOCIATED_TOKEN:
      if (!ledger.meta.innerInstructions) applyAssociatedToken(ledger, instruction);
      return;
  }
};

const CREATE = 0;
const CREATE_IDEMPOTENT = 1;

/** Creates an associated account from its own instruction: old, empty data mean `create`. */
const applyAssociatedToken = (ledger: Ledger, { data, start, end, accounts }: CompiledInstruction): void => {
  const tag = end > start ? data[start] : CREATE;
  if (tag !== CREATE && tag !== CREATE_IDEMPOTENT) return;
  const mint = ledger.keys.at(accounts[3] ?? -1);
  openAssociated(ledger, accounts[1] ?? -1, mint, ledger.keys.at(accounts[2] ?? -1));
};
