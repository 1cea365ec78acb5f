import { base58 } from '@scure/base';
import type {
  RawBlock,
  RawInstruction,
  RawReward,
  RawTokenBalance,
  RawTransaction,
} from '../../ingest/solana/encoding/raw-block.ts';

/** Builders for tests: transactions as `getBlock` answers them (`json`), told in names instead of keys. */

export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const SYSTEM = '11111111111111111111111111111111';
export const STAKE = 'Stake11111111111111111111111111111111111111';
export const VOTE = 'Vote111111111111111111111111111111111111111';
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
export const RENT = 2_039_280n;
export const FEE = 5_000n;

/** The bytes of the key that stands for a name; programs and known mints keep their own. */
export const keyBytes = (name: string): Uint8Array => {
  if (name.length >= 32) return base58.decode(name);
  const bytes = new Uint8Array(32).fill(1);
  bytes.set(new TextEncoder().encode(name));
  return bytes;
};

export const keyOf = (name: string): string => (name.length >= 32 ? name : base58.encode(keyBytes(name)));

/** An EVM address or a number in hex, as a word. */
export const wordOf = (hex: string): Uint8Array =>
  Buffer.from(hex.replace(/^0x/, '').padStart(64, '0'), 'hex');

export const u64 = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
};

export const u32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
};

export const join = (...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

export type TestAccount = {
  readonly name: string;
  readonly before?: bigint;
  readonly after?: bigint;
  readonly mint?: string;
  readonly owner?: string;
  /** Where it is another one after the transaction. */
  readonly ownerAfter?: string;
  /** Token amounts; absent where the account does not exist then. */
  readonly amountBefore?: bigint;
  readonly amountAfter?: bigint;
};

export type TestInstruction = {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
  /** Instructions that it calls. */
  readonly calls?: readonly TestInstruction[];
};

export type TestTransaction = {
  readonly accounts: readonly TestAccount[];
  readonly instructions: readonly TestInstruction[];
  readonly failed?: boolean;
  readonly fee?: bigint;
  readonly rewards?: readonly RawReward[];
  readonly logs?: readonly string[];
  /** As nodes before 2022 (`owners`) and of 2020 (`balances`) answer. */
  readonly without?: 'owners' | 'balances';
};

let signatures = 0;
/** Another one for each transaction: a block lists none twice. */
const newSignature = (): string => base58.encode(join(new Uint8Array(60).fill(7), u32(signatures++)));

/** The first account pays the fee; programs that instructions name are added as accounts of their own. */
export const transaction = (told: TestTransaction): RawTransaction => {
  const names = told.accounts.map(({ name }) => name);
  const add = (name: string): void => {
    if (!names.includes(name)) names.push(name);
  };
  const visit = ({ program, accounts, calls }: TestInstruction): void => {
    for (const name of [...accounts, program]) add(name);
    for (const call of calls ?? []) visit(call);
  };
  told.instructions.forEach(visit);
  const compile = ({ program, accounts, data }: TestInstruction): RawInstruction => ({
    programIdIndex: names.indexOf(program),
    accounts: accounts.map((name) => names.indexOf(name)),
    data: base58.encode(data),
  });
  const balanceOf = (name: string, at: 'before' | 'after'): number =>
    Number(told.accounts.find((account) => account.name === name)?.[at] ?? 1n);
  return {
    transaction: {
      signatures: [newSignature()],
      message: { accountKeys: names.map(keyOf), instructions: told.instructions.map(compile) },
    },
    meta: {
      err: told.failed ? { InstructionError: [0, 'Custom'] } : null,
      fee: Number(told.fee ?? FEE),
      preBalances: names.map((name) => balanceOf(name, 'before')),
      postBalances: names.map((name) => balanceOf(name, 'after')),
      preTokenBalances: listBalances(told, 'amountBefore'),
      postTokenBalances: listBalances(told, 'amountAfter'),
      innerInstructions: told.instructions.map(({ calls }, index) => ({
        index,
        instructions: (calls ?? []).map(compile),
      })),
      rewards: told.rewards ?? null,
      logMessages: told.logs ?? null,
    },
  };
};

const listBalances = (
  { accounts, without }: TestTransaction,
  at: 'amountBefore' | 'amountAfter',
): RawTokenBalance[] => {
  if (without === 'balances') return [];
  return accounts.flatMap((account, accountIndex) => {
    const amount = account[at];
    if (amount === undefined || account.mint === undefined) return [];
    const balance = {
      accountIndex,
      mint: keyOf(account.mint),
      uiTokenAmount: { amount: String(amount), decimals: account.mint === WRAPPED_SOL ? 9 : 6 },
    };
    const owner = (at === 'amountAfter' ? account.ownerAfter : undefined) ?? account.owner ?? 'nobody';
    return [without === 'owners' ? balance : { ...balance, owner: keyOf(owner) }];
  });
};

/** Tells that the node keeps rewards, and leaves no row. */
const FEE_REWARD: RawReward = { pubkey: keyOf('leader'), lamports: 0, rewardType: 'Fee' };

export const block = (...transactions: readonly RawTransaction[]): RawBlock => ({
  blockhash: keyOf('this block'),
  previousBlockhash: keyOf('its parent'),
  parentSlot: 99,
  blockTime: 1_700_000_000,
  transactions,
  rewards: [FEE_REWARD],
});

export const systemTransfer = (from: string, to: string, lamports: bigint): TestInstruction => ({
  program: SYSTEM,
  accounts: [from, to],
  data: join(u32(2), u64(lamports)),
});

export const createAccount = (from: string, to: string, lamports: bigint, space = 165n): TestInstruction => ({
  program: SYSTEM,
  accounts: [from, to],
  data: join(u32(0), u64(lamports), u64(space), keyBytes('owner program')),
});

export const initializeAccount3 = (account: string, mint: string, owner: string): TestInstruction => ({
  program: TOKEN,
  accounts: [account, mint],
  data: join([18], keyBytes(owner)),
});

export const tokenTransfer = (
  from: string,
  to: string,
  authority: string,
  amount: bigint,
): TestInstruction => ({
  program: TOKEN,
  accounts: [from, to, authority],
  data: join([3], u64(amount)),
});

export const transferChecked = (
  from: string,
  mint: string,
  to: string,
  authority: string,
  amount: bigint,
): TestInstruction => ({
  program: TOKEN_2022,
  accounts: [from, mint, to, authority],
  data: join([12], u64(amount), [6]),
});

/** Hands the account over to another owner. */
export const giveAway = (
  account: string,
  owner: string,
  to: string,
  program: string = TOKEN,
): TestInstruction => ({
  program,
  accounts: [account, owner],
  data: join([6, 2, 1], keyBytes(to)),
});

export const closeAccount = (account: string, to: string, owner: string): TestInstruction => ({
  program: TOKEN,
  accounts: [account, to, owner],
  data: Uint8Array.of(9),
});

export const syncNative = (account: string): TestInstruction => ({
  program: TOKEN,
  accounts: [account],
  data: Uint8Array.of(17),
});
