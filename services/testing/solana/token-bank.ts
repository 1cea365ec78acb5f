import { base58 } from '@scure/base';
import { type Address, getTransactionDecoder, lamports } from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import type { RawTokenBalance, RawTransaction } from '../../ingest/solana/encoding/raw-block.ts';
import {
  join,
  keyBytes,
  keyOf,
  SYSTEM,
  type TestInstruction,
  TOKEN,
  TOKEN_2022,
  u64,
  WRAPPED_SOL,
} from './build-transaction.ts';

export const WRAPPED_SOL_2022 = '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9';
export const PEOPLE = ['alice', 'bob', 'carol'] as const;
/** Addresses that may become token accounts. */
export const SLOTS = ['slot 0', 'slot 1', 'slot 2'] as const;
/** Of the Token program, and of Token-2022, which keeps three hundredths back of each transfer, and forty at most. */
export const MINTS = ['mint', 'fee mint'] as const;
export const feeOf = (amount: bigint): bigint => {
  const fee = (amount * 300n + 9_999n) / 10_000n;
  return fee < 40n ? fee : 40n;
};

// Everybody signs everything: all but the mints of the coin and the programs.
const SIGNERS = [...PEOPLE, ...SLOTS, ...MINTS];
const PROGRAMS = [SYSTEM, TOKEN, TOKEN_2022];
const NAMES: readonly string[] = [...SIGNERS, WRAPPED_SOL, WRAPPED_SOL_2022, ...PROGRAMS];
const FEE = 5_000 * SIGNERS.length;
const SIGNATURES = SIGNERS.map((_, at) => new Uint8Array(64).fill(at + 1));
const MINT_BYTES = { plain: 82n, withFee: 278n };
const LAMPORTS = 1_000_000_000_000n;

const compact = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, value >> 7]);

const toCompiled = ({ program, accounts, data }: TestInstruction) => ({
  programIdIndex: NAMES.indexOf(program),
  accounts: accounts.map((name) => NAMES.indexOf(name)),
  data: base58.encode(data),
});

const toTransaction = (instructions: readonly TestInstruction[]) => {
  const compiled = instructions.map(toCompiled).map(({ programIdIndex, accounts, data }) => {
    const bytes = base58.decode(data);
    return join([programIdIndex], compact(accounts.length), accounts, compact(bytes.length), bytes);
  });
  const header = [SIGNERS.length, 0, PROGRAMS.length];
  const keys = NAMES.map((name) => keyBytes(name));
  return getTransactionDecoder().decode(
    join(
      ...[compact(SIGNERS.length), ...SIGNATURES, header, compact(keys.length), ...keys],
      ...[new Uint8Array(32), compact(compiled.length), ...compiled],
    ),
  );
};

export type TokenPowers = {
  readonly owner: string;
  readonly delegate: string | null;
  readonly delegatedRaw: bigint;
  readonly isFrozen: boolean;
  readonly closer: string | null;
};

/** A bank that runs the real token programs. */
export class TokenBank {
  readonly #svm = new LiteSVM()
    .withSigverify(false)
    .withBlockhashCheck(false)
    .withTransactionHistory(0n)
    .withNativeMints();

  constructor() {
    for (const name of PEOPLE) this.#svm.airdrop(keyOf(name) as Address, lamports(LAMPORTS));
    const key = keyBytes('alice');
    const opened = this.execute([
      this.create('mint', MINT_BYTES.plain, TOKEN),
      { program: TOKEN, accounts: ['mint'], data: join([20, 6], key, [1], key) },
      this.create('fee mint', MINT_BYTES.withFee, TOKEN_2022),
      {
        ...{ program: TOKEN_2022, accounts: ['fee mint'] },
        data: join([26, 0, 1], key, [1], key, [300 & 0xff, 300 >> 8], u64(40n)),
      },
      { program: TOKEN_2022, accounts: ['fee mint'], data: join([20, 6], key, [0]) },
    ]);
    if (opened === null) throw new Error('the mints could not be opened');
  }

  /** Alice opens an account of that size, with `beyond` its rent. */
  create(name: string, space: bigint, program: string, beyond = 0n): TestInstruction {
    const paid = this.#svm.minimumBalanceForRentExemption(space) + beyond;
    const data = join([0, 0, 0, 0], u64(paid), u64(space), keyBytes(program));
    return { program: SYSTEM, accounts: ['alice', name], data };
  }

  /** Who may act for a token account, as its bytes say; null where there is none. */
  powersOver(name: string): TokenPowers | null {
    const account = this.#svm.getAccount(keyOf(name) as Address);
    if (!account.exists || account.data.length < 165) return null;
    const data = Buffer.from(account.data);
    const optional = (at: number): string | null =>
      data.readUInt32LE(at) === 0 ? null : base58.encode(data.subarray(at + 4, at + 36));
    return {
      owner: base58.encode(data.subarray(32, 64)),
      delegate: optional(72),
      delegatedRaw: data.readBigUInt64LE(121),
      isFrozen: data[108] === 2,
      closer: optional(129),
    };
  }

  accepts(instructions: readonly TestInstruction[]): boolean {
    return !(this.#svm.simulateTransaction(toTransaction(instructions)) instanceof FailedTransactionMetadata);
  }

  /** The transaction as a node tells it; null where it failed. */
  execute(instructions: readonly TestInstruction[]): RawTransaction | null {
    const before = this.#balances();
    const result = this.#svm.sendTransaction(toTransaction(instructions));
    if (result instanceof FailedTransactionMetadata) return null;
    const after = this.#balances();
    return {
      transaction: {
        signatures: SIGNATURES.map((signature) => base58.encode(signature)),
        message: { accountKeys: NAMES.map(keyOf), instructions: instructions.map(toCompiled) },
      },
      meta: {
        ...{ err: null, fee: FEE, innerInstructions: [], rewards: [] },
        ...{ preBalances: before.lamports, postBalances: after.lamports },
        ...{ preTokenBalances: before.tokens, postTokenBalances: after.tokens },
      },
    };
  }

  #balances(): { lamports: number[]; tokens: RawTokenBalance[] } {
    return {
      lamports: NAMES.map((name) => Number(this.#svm.getBalance(keyOf(name) as Address) ?? 0n)),
      tokens: SLOTS.flatMap((name) => this.#readToken(name) ?? []),
    };
  }

  #readToken(name: string): RawTokenBalance | null {
    const account = this.#svm.getAccount(keyOf(name) as Address);
    if (!account.exists || account.data.length < 165) return null;
    const data = Buffer.from(account.data);
    return {
      accountIndex: NAMES.indexOf(name),
      mint: base58.encode(data.subarray(0, 32)),
      owner: base58.encode(data.subarray(32, 64)),
      programId: account.programAddress,
      uiTokenAmount: { amount: String(data.readBigUInt64LE(64)), decimals: 6 },
    };
  }
}
