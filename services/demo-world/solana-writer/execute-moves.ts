import { NATIVE } from '../../investigate/model/movement.ts';
import type { Call, ControlMove, Move } from '../writer.ts';
import { FEE_TOKEN_ACCOUNT_RENT, type Mint, TOKEN_ACCOUNT_RENT, type TokenHolding } from './accounts.ts';
import { type Execution, moveLamports, pushTop, put, sign } from './execution.ts';
import * as bytes from './instructions.ts';
import { createdEvents, fulfilData } from './order-events.ts';

type Emit = (instruction: bytes.Instruction) => void;

const rentOf = (mint: Mint): bigint =>
  mint.feeBasisPoints > 0 ? FEE_TOKEN_ACCOUNT_RENT : TOKEN_ACCOUNT_RENT;

/** The owner's token account, created first at the payer's cost if it does not exist. */
const ensureTokenAccount = (execution: Execution, owner: string, mintAddress: string): bytes.TokenSide => {
  const { accounts, payer } = execution;
  const side = accounts.tokenSide(owner, mintAddress);
  if (accounts.get(side.account).holding !== null) return side;
  const mint = accounts.mint(mintAddress);
  const rent = rentOf(mint);
  const inner = pushTop(execution, bytes.createAssociatedAccount(payer, side, owner));
  inner.push(
    bytes.createAccount(payer, side.account, rent, rent > TOKEN_ACCOUNT_RENT ? 182 : 165, side.program),
  );
  inner.push(bytes.initializeImmutableOwner(side), bytes.initializeAccount3(side, owner));
  moveLamports(execution, payer, side.account, rent);
  put(execution, side.account, {
    lamports: rent,
    program: side.program,
    holding: { mint: mintAddress, owner, amountRaw: 0n, delegate: null },
  });
  return side;
};

const changeHolding = (
  execution: Execution,
  address: string,
  change: Partial<TokenHolding>,
  lamports = 0n,
): void => {
  const account = execution.accounts.get(address);
  if (account.holding === null) throw new RangeError(`${address} is no token account`);
  put(execution, address, {
    ...account,
    lamports: account.lamports + lamports,
    holding: { ...account.holding, ...change },
  });
};

const addTokens = (execution: Execution, side: bytes.TokenSide, amountRaw: bigint): void => {
  const held = execution.accounts.get(side.account).holding?.amountRaw ?? 0n;
  // Wrapped SOL is lamports: both always move together.
  changeHolding(
    execution,
    side.account,
    { amountRaw: held + amountRaw },
    side.mint === bytes.WRAPPED_SOL ? amountRaw : 0n,
  );
};

const moveTokens = (
  execution: Execution,
  move: Move & { type: 'transfer' },
  emit: Emit,
  inProgram: boolean,
): void => {
  const source = ensureTokenAccount(execution, move.from, move.asset);
  const target = ensureTokenAccount(execution, move.to, move.asset);
  const mint = execution.accounts.mint(move.asset);
  const authority = move.authority ?? move.from;
  sign(execution, authority);
  const withheldRaw = (move.amountRaw * BigInt(mint.feeBasisPoints) + 9_999n) / 10_000n;
  addTokens(execution, source, -move.amountRaw);
  addTokens(execution, target, move.amountRaw - withheldRaw);
  if (mint.feeBasisPoints > 0) {
    emit(
      bytes.transferCheckedWithFee(
        source,
        target.account,
        authority,
        move.amountRaw,
        mint.decimals,
        withheldRaw,
      ),
    );
  } else if (inProgram && move.amountRaw % 3n === 0n) {
    emit(bytes.tokenTransfer(source, target.account, authority, move.amountRaw));
  } else {
    emit(bytes.transferChecked(source, target.account, authority, move.amountRaw, mint.decimals));
  }
};

const moveNative = (execution: Execution, move: Move & { type: 'transfer' }, emit: Emit): void => {
  moveLamports(execution, move.from, move.to, move.amountRaw);
  // A program changes its own accounts' lamports without an instruction.
  if (execution.accounts.get(move.from).program !== bytes.SYSTEM_PROGRAM) return;
  sign(execution, move.from);
  emit(bytes.systemTransfer(move.from, move.to, move.amountRaw));
};

const wrap = (execution: Execution, owner: string, amountRaw: bigint, emit: Emit): void => {
  const side = ensureTokenAccount(execution, owner, bytes.WRAPPED_SOL);
  sign(execution, owner);
  const held = execution.accounts.get(side.account).holding?.amountRaw ?? 0n;
  moveLamports(execution, owner, side.account, amountRaw);
  changeHolding(execution, side.account, { amountRaw: held + amountRaw });
  emit(bytes.systemTransfer(owner, side.account, amountRaw));
  emit(bytes.syncNative(side.account));
};

/** Unwrapping closes the account and returns everything, including the rent. */
const closeWrapped = (execution: Execution, owner: string, by: string, emit: Emit): void => {
  const side = ensureTokenAccount(execution, owner, bytes.WRAPPED_SOL);
  sign(execution, by);
  const account = execution.accounts.get(side.account);
  moveLamports(execution, side.account, by, account.lamports);
  put(execution, side.account, { lamports: 0n, program: bytes.SYSTEM_PROGRAM, holding: null });
  emit(bytes.closeAccount(side, by, by));
};

const executeMove = (execution: Execution, move: Move, emit: Emit, inProgram: boolean): void => {
  if (move.type === 'transfer') {
    if (move.asset === NATIVE) moveNative(execution, move, emit);
    else moveTokens(execution, move, emit, inProgram);
  } else if (move.type === 'wrap' || move.type === 'unwrap') {
    if (move.type === 'wrap') wrap(execution, move.owner, move.amountRaw, emit);
    else closeWrapped(execution, move.owner, move.owner, emit);
  } else if (move.type === 'mint') {
    const side = ensureTokenAccount(execution, move.to, move.asset);
    addTokens(execution, side, move.amountRaw);
    emit(bytes.mintTo(side, execution.payer, move.amountRaw));
  } else if (move.type === 'burn') {
    const side = ensureTokenAccount(execution, move.from, move.asset);
    sign(execution, move.from);
    addTokens(execution, side, -move.amountRaw);
    emit(bytes.burnChecked(side, move.from, move.amountRaw, execution.accounts.mint(move.asset).decimals));
  } else if (move.type === 'hand_over') {
    const side = ensureTokenAccount(execution, move.owner, move.asset);
    sign(execution, move.owner);
    changeHolding(execution, side.account, { owner: move.to });
    emit(bytes.setAuthority(side, move.owner, move.to, 'owner'));
  } else changeControl(execution, move, emit);
};

const changeControl = (execution: Execution, move: ControlMove, emit: Emit): void => {
  if (move.type === 'assign') {
    sign(execution, move.wallet);
    put(execution, move.wallet, { ...execution.accounts.get(move.wallet), program: move.program });
    emit(bytes.assign(move.wallet, move.program));
  } else if (move.type === 'allow_close') {
    const side = ensureTokenAccount(execution, move.owner, bytes.WRAPPED_SOL);
    sign(execution, move.owner);
    changeHolding(execution, side.account, {});
    emit(bytes.setAuthority(side, move.owner, move.to, 'close'));
  } else if (move.type === 'close') {
    closeWrapped(execution, move.owner, move.by, emit);
  } else if (move.type === 'create_mint') {
    emit(bytes.initializeMint(execution.accounts.mint(move.asset), move.authority));
  } else if (move.type === 'change_owner') {
    sign(execution, move.from);
    emit(bytes.setMinter(execution.accounts.mint(move.contract), move.from, move.to));
  } else if (move.type === 'create') {
    sign(execution, move.owner);
    const code = execution.accounts.codeOf(move.contract);
    emit(bytes.deployProgram(move.contract, code, execution.accounts.codeOf(code), move.owner));
  } else if (move.type === 'upgrade') {
    const code = execution.accounts.codeOf(move.contract);
    emit(bytes.upgradeProgram(move.contract, code, move.code, execution.payer));
  } else if (move.type === 'freeze') {
    const side = ensureTokenAccount(execution, move.account, move.asset);
    emit(bytes.freezeAccount(side, execution.payer, move.isReleased ?? false));
  } else if (move.type === 'approve') {
    const side = ensureTokenAccount(execution, move.owner, move.asset);
    sign(execution, move.owner);
    const isRevoked = move.amountRaw === 0n;
    changeHolding(execution, side.account, { delegate: isRevoked ? null : move.spender });
    emit(
      isRevoked
        ? bytes.revoke(side, move.owner)
        : bytes.approve(side, move.spender, move.owner, move.amountRaw),
    );
  } else throw new RangeError(`${move.type} is of EVM chains`);
};

/** Every account of the moves, with token accounts in place of their owners, as passed to the program. */
const accountsOf = (execution: Execution, moves: readonly Move[]): string[] => {
  const named = new Set<string>();
  const add = (owner: string, asset: string): void => {
    named.add(owner);
    if (asset !== NATIVE) named.add(execution.accounts.tokenSide(owner, asset).account).add(asset);
  };
  for (const move of moves) {
    if (move.type === 'transfer') {
      add(move.from, move.asset);
      add(move.to, move.asset);
    } else if (move.type === 'mint') add(move.to, move.asset);
    else if (move.type === 'burn') add(move.from, move.asset);
  }
  return [...named];
};

const ensureAccountsOf = (execution: Execution, moves: readonly Move[]): void => {
  for (const move of moves) {
    if (move.type === 'transfer' && move.asset !== NATIVE) {
      ensureTokenAccount(execution, move.from, move.asset);
      ensureTokenAccount(execution, move.to, move.asset);
    } else if (move.type === 'mint') ensureTokenAccount(execution, move.to, move.asset);
  }
};

/** Runs one call: direct moves are top-level instructions, a program's moves inner ones. */
export const executeCall = (execution: Execution, call: Call): void => {
  const { program, method = 'call', moves } = call;
  if (program === undefined) {
    for (const move of moves) {
      executeMove(
        execution,
        move,
        (made) => {
          pushTop(execution, made);
        },
        false,
      );
    }
    return;
  }
  // Token accounts are opened before the call, as wallets do.
  ensureAccountsOf(execution, moves);
  const accounts = [execution.payer, ...accountsOf(execution, moves)];
  for (const move of moves) {
    if (move.type === 'transfer') sign(execution, move.authority ?? move.from);
  }
  const argument = moves.find((move) => move.type === 'transfer')?.amountRaw ?? 0n;
  const plain = bytes.programCall(program, method, accounts, argument & 0xffff_ffff_ffffn);
  const { is, order } = call.order ?? {};
  const inner =
    order === undefined
      ? pushTop(execution, plain)
      : is === 'created'
        ? pushTop(execution, plain, createdEvents(order))
        : pushTop(execution, { ...plain, data: fulfilData(order) });
  for (const move of moves) {
    executeMove(
      execution,
      move,
      (made) => {
        inner.push(made);
      },
      true,
    );
  }
};
