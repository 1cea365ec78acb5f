import { Overdraft } from '../writer.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, type TokenSide, WRAPPED_SOL } from './instructions.ts';

export type TokenHolding = {
  readonly mint: string;
  readonly owner: string;
  readonly amountRaw: bigint;
  readonly delegate: string | null;
};

/** Replaced, never changed in place, so that a transaction can restore it. */
export type Account = {
  readonly lamports: bigint;
  readonly program: string;
  readonly holding: TokenHolding | null;
};

export type Mint = {
  readonly address: string;
  readonly decimals: number;
  readonly program: string;
  readonly feeBasisPoints: number;
};

/** The rent of a token account of 165 bytes (or 182 with a transfer fee), in lamports. */
export const TOKEN_ACCOUNT_RENT = 2_039_280n;
export const FEE_TOKEN_ACCOUNT_RENT = 2_157_600n;

export const EMPTY: Account = { lamports: 0n, program: SYSTEM_PROGRAM, holding: null };

/** All accounts with a balance; empty ones are removed. */
export type Accounts = {
  readonly get: (address: string) => Account;
  readonly put: (address: string, account: Account) => void;
  readonly mint: (address: string) => Mint;
  readonly addMint: (mint: Mint) => void;
  /** The address of the owner's token account for that mint, whether or not it exists yet. */
  readonly tokenSide: (owner: string, mint: string) => TokenSide;
  /** The account that holds a program's code. */
  readonly codeOf: (program: string) => string;
};

export const createAccounts = (newDerived: () => string): Accounts => {
  const accounts = new Map<string, Account>();
  const mints = new Map<string, Mint>();
  const associated = new Map<string, string>();
  const codes = new Map<string, string>();
  const mintOf = (address: string): Mint => {
    const mint = mints.get(address);
    if (mint === undefined) throw new RangeError(`no such mint: ${address}`);
    return mint;
  };
  mints.set(WRAPPED_SOL, { address: WRAPPED_SOL, decimals: 9, program: TOKEN_PROGRAM, feeBasisPoints: 0 });
  return {
    get: (address) => accounts.get(address) ?? EMPTY,
    put: (address, account) => {
      if (account.lamports < 0n) throw new Overdraft(`${address} would hold ${account.lamports} lamports`);
      if ((account.holding?.amountRaw ?? 0n) < 0n) throw new Overdraft(`${address} lacks tokens`);
      if (account.lamports === 0n && account.program === SYSTEM_PROGRAM) accounts.delete(address);
      else accounts.set(address, account);
    },
    mint: mintOf,
    addMint: (mint) => {
      mints.set(mint.address, mint);
    },
    tokenSide: (owner, mint) => {
      const key = `${owner} ${mint}`;
      const account = associated.get(key) ?? newDerived();
      associated.set(key, account);
      return { account, mint, program: mintOf(mint).program };
    },
    codeOf: (program) => {
      const code = codes.get(program) ?? newDerived();
      codes.set(program, code);
      return code;
    },
  };
};
