import { readParsedControl } from '../control/read-parsed-control.ts';
import { exactAmount } from '../encoding/exact-integer.ts';
import { ASSOCIATED_TOKEN, STAKE, SYSTEM, TOKEN, TOKEN_2022, VOTE } from '../encoding/programs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  changeSupply,
  closeToken,
  expectWithheld,
  openAssociated,
  openToken,
  setOwner,
  transferTokens,
} from '../ledger/move-tokens.ts';
import { syncNative, unwrap } from '../ledger/wrap-sol.ts';
import { mergeStake } from './apply-stake-vote.ts';
import { createAccount } from './apply-system.ts';

type Info = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Info => typeof value === 'object' && value !== null;

/** Applies a parsed instruction (`jsonParsed`) like its compiled form. */
export const applyParsed = (ledger: Ledger, program: number, parsed: unknown): void => {
  // Memos parse to a string, and some instructions have no info.
  if (!isRecord(parsed) || !isRecord(parsed.info)) return;
  const { type, info } = parsed;
  readParsedControl(ledger, program, type, info);
  if (program === TOKEN || program === TOKEN_2022) applyParsedToken(ledger, program, type, info);
  else if (program === SYSTEM) applyParsedSystem(ledger, type, info);
  else if (program === STAKE) applyParsedStake(ledger, type, info);
  else if (program === ASSOCIATED_TOKEN && (type === 'create' || type === 'createIdempotent'))
    openAssociated(ledger, ledger.keys.indexOf(info.account), String(info.mint), String(info.wallet));
  else if (program === VOTE && type === 'withdraw')
    move(ledger, info, 'voteAccount', 'destination', info.withdrawAuthority);
};

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const move = (ledger: Ledger, info: Info, from: string, to: string, authority: unknown): void =>
  ledger.moveLamports(
    ledger.keys.indexOf(info[from]),
    ledger.keys.indexOf(info[to]),
    exactAmount(info.lamports),
    text(authority),
  );

const applyParsedSystem = (ledger: Ledger, type: unknown, info: Info): void => {
  switch (type) {
    case 'transfer':
      move(ledger, info, 'source', 'destination', null);
      return;
    case 'transferWithSeed':
      move(ledger, info, 'source', 'destination', info.sourceBase);
      return;
    case 'withdrawFromNonce':
      move(ledger, info, 'nonceAccount', 'destination', info.nonceAuthority);
      return;
    case 'createAccount':
    case 'createAccountWithSeed':
    case 'createAccountAllowPrefund': {
      const to = ledger.keys.indexOf(info.newAccount);
      const space = exactAmount(info.space);
      if (info.source === undefined) ledger.allocate(to, space);
      else createAccount(ledger, ledger.keys.indexOf(info.source), to, exactAmount(info.lamports), space);
      return;
    }
    case 'allocate':
      ledger.allocate(ledger.keys.indexOf(info.account), exactAmount(info.space));
      return;
  }
};

const applyParsedStake = (ledger: Ledger, type: unknown, info: Info): void => {
  switch (type) {
    case 'split':
      move(ledger, info, 'stakeAccount', 'newSplitAccount', info.stakeAuthority);
      return;
    case 'withdraw':
      move(ledger, info, 'stakeAccount', 'destination', info.withdrawAuthority);
      return;
    case 'moveStake':
    case 'moveLamports':
      move(ledger, info, 'source', 'destination', info.stakeAuthority);
      return;
    case 'merge':
      mergeStake(
        ledger,
        ledger.keys.indexOf(info.source),
        ledger.keys.indexOf(info.destination),
        text(info.stakeAuthority),
      );
      return;
  }
};

const applyParsedToken = (ledger: Ledger, program: number, type: unknown, info: Info): void => {
  switch (type) {
    case 'transfer':
    case 'transferChecked':
    case 'transferCheckedWithFee':
      transfer(ledger, program, info);
      return;
    case 'mintTo':
    case 'mintToChecked':
      applySupply(ledger, 'mint', info, 'mintAuthority', 'multisigMintAuthority');
      return;
    case 'burn':
    case 'burnChecked':
    case 'permissionedBurn':
    case 'permissionedBurnChecked':
      applySupply(ledger, 'burn', info, 'authority', 'multisigAuthority');
      return;
    case 'closeAccount':
      closeToken(
        ledger,
        ledger.keys.indexOf(info.account),
        ledger.keys.indexOf(info.destination),
        signer(info, 'owner', 'multisigOwner'),
        program === TOKEN_2022,
      );
      return;
    case 'initializeMint':
    case 'initializeMint2':
      ledger.noteMintTurned(ledger.keys.indexOf(info.mint));
      return;
    case 'syncNative':
      syncNative(ledger, ledger.keys.indexOf(info.account));
      return;
    case 'initializeAccount':
    case 'initializeAccount2':
    case 'initializeAccount3':
      openToken(ledger, ledger.keys.indexOf(info.account), String(info.mint), String(info.owner));
      return;
    case 'setAuthority':
      if (info.authorityType === 'accountOwner' && typeof info.newAuthority === 'string')
        setOwner(ledger, ledger.keys.indexOf(info.account), info.newAuthority);
      return;
    case 'unwrapLamports':
      unwrap(
        ledger,
        ledger.keys.indexOf(info.source),
        ledger.keys.indexOf(info.destination),
        info.amount === undefined || info.amount === null ? null : exactAmount(info.amount),
        signer(info, 'authority', 'multisigAuthority'),
      );
      return;
    case 'batch':
      if (Array.isArray(info.instructions))
        for (const inner of info.instructions) applyParsed(ledger, program, inner);
      return;
    default:
      applyParsedExtension(ledger, type, info);
      return;
  }
};

const applyParsedExtension = (ledger: Ledger, type: unknown, info: Info): void => {
  switch (type) {
    case 'withdrawWithheldTokensFromMint':
    case 'withdrawWithheldTokensFromAccounts':
      expectWithheld(ledger, ledger.keys.indexOf(info.feeRecipient), String(info.mint));
      return;
    case 'depositConfidentialTransfer':
      applySupply(ledger, 'wrap', info, 'owner', 'multisigOwner');
      return;
    case 'withdrawConfidentialTransfer':
      applySupply(ledger, 'unwrap', info, 'owner', 'multisigOwner');
      return;
    case 'confidentialTransfer':
    case 'confidentialTransferWithFee':
    case 'confidentialMint':
    case 'confidentialBurn':
    case 'permissionedConfidentialBurn':
    case 'withdrawWithheldConfidentialTransferTokensFromMint':
    case 'withdrawWithheldConfidentialTransferTokensFromAccounts':
    case 'harvestWithheldConfidentialTransferTokensToMint':
      ledger.hidden = 'confidential_transfer';
  }
};

const signer = (info: Info, single: string, multisig: string): string =>
  String(info[single] ?? info[multisig]);

/** Unchecked instructions carry `amount`, checked ones a `tokenAmount` with its decimals. */
const amountOf = (ledger: Ledger, info: Info): bigint => {
  if (!isRecord(info.tokenAmount)) return exactAmount(info.amount);
  ledger.noteDecimals(String(info.mint), info.tokenAmount.decimals);
  return exactAmount(info.tokenAmount.amount);
};

const transfer = (ledger: Ledger, program: number, info: Info): void => {
  const amountRaw = amountOf(ledger, info);
  const unnamedFee = program === TOKEN_2022 ? null : 0n;
  const feeRaw = isRecord(info.feeAmount) ? exactAmount(info.feeAmount.amount) : unnamedFee;
  transferTokens(
    ledger,
    ledger.keys.indexOf(info.source),
    ledger.keys.indexOf(info.destination),
    amountRaw,
    signer(info, 'authority', 'multisigAuthority'),
    text(info.mint),
    feeRaw,
  );
};

const applySupply = (
  ledger: Ledger,
  kind: 'mint' | 'burn' | 'wrap' | 'unwrap',
  info: Info,
  single: string,
  multisig: string,
): void =>
  changeSupply(
    ledger,
    kind,
    ledger.keys.indexOf(info.account ?? info.source),
    String(info.mint),
    amountOf(ledger, info),
    signer(info, single, multisig),
  );
