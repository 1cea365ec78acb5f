import { NATIVE } from '../../investigate/model/movement.ts';
import { isOnCurve } from '../../investigate/model/on-curve.ts';
import { createBulkNames } from '../bulk-addresses.ts';
import type { Random } from '../random.ts';
import type { Draft, Writer, Written } from '../writer.ts';
import { createAccounts, TOKEN_ACCOUNT_RENT } from './accounts.ts';
import { compileTransaction, type JsonTransaction, type LookupOf } from './compile-transaction.ts';
import { executeCall } from './execute-moves.ts';
import { beginExecution, failExecution, pushTop, rollBack } from './execution.ts';
import * as bytes from './instructions.ts';

/** A `getBlock` result in `json` encoding, and its slot. */
export type SolanaBlock = {
  readonly family: 'solana';
  readonly chain: string;
  readonly number: number;
  readonly result: {
    readonly blockhash: string;
    readonly previousBlockhash: string;
    readonly parentSlot: number;
    readonly blockTime: number;
    readonly blockHeight: number;
    readonly transactions: readonly JsonTransaction[];
    readonly rewards: readonly unknown[];
  };
};

export type SolanaWriterOptions = {
  readonly chain: string;
  readonly seed: number;
  readonly random: Random;
  readonly validators: number;
  readonly firstHeight: number;
};

const BASE_FEE = 5_000n;
const NATIVE_PROGRAM_LAMPORTS = 1n;
const DEPLOYED_PROGRAM_LAMPORTS = 1_141_440n;
const MINT_LAMPORTS = 1_461_600n;
const TABLE_SIZE = 256;
const NATIVE_PROGRAMS = new Set([bytes.SYSTEM_PROGRAM, bytes.COMPUTE_BUDGET_PROGRAM, bytes.VOTE_PROGRAM]);

/** Each address gets a place in a lookup table at its first use. */
const createLookups = (newDerived: () => string): LookupOf => {
  const places = new Map<string, { table: string; index: number }>();
  const tables: string[] = [];
  return (address) => {
    const known = places.get(address);
    if (known !== undefined) return known;
    const number = Math.floor(places.size / TABLE_SIZE);
    tables[number] ??= newDerived();
    const place = { table: tables[number], index: places.size % TABLE_SIZE };
    places.set(address, place);
    return place;
  };
};

/** Writes genuine Solana blocks: balances before and after, inner instructions, fees, votes and rewards. */
export const createSolanaWriter = (options: SolanaWriterOptions): Writer<SolanaBlock> => {
  const { chain, random } = options;
  const names = createBulkNames(chain, options.seed);
  let addresses = 0;
  let hashes = 0;
  const newName = (): string => names.address(addresses++);
  /** Every other name is a point of the curve. */
  const newNameWhere = (isKey: boolean): string => {
    const name = newName();
    return isOnCurve(name) === isKey ? name : newNameWhere(isKey);
  };
  const newAddress = (): string => newNameWhere(true);
  const newDerived = (): string => newNameWhere(false);
  const newHash = (): string => names.hash(hashes++);
  const accounts = createAccounts(newDerived);
  const contracts = new Map<string, string>();
  const mints = new Set<string>([bytes.WRAPPED_SOL]);
  const lookupOf = createLookups(newDerived);
  const validators = Array.from({ length: options.validators }, () => ({
    identity: newAddress(),
    voteAccount: newAddress(),
  }));
  let slot = 0;
  let parentSlot = 0;
  let height = options.firstHeight;
  let blockTime = 0;
  let blockhash = newName();
  let previousBlockhash = newName();
  let transactions: JsonTransaction[] = [];
  let leaderLamports = 0n;

  const standingLamports = (address: string): bigint => {
    if (mints.has(address)) return MINT_LAMPORTS;
    if (NATIVE_PROGRAMS.has(address)) return NATIVE_PROGRAM_LAMPORTS;
    return contracts.has(address) ? DEPLOYED_PROGRAM_LAMPORTS : 0n;
  };
  for (const program of [
    ...NATIVE_PROGRAMS,
    bytes.TOKEN_PROGRAM,
    bytes.TOKEN_2022_PROGRAM,
    bytes.ASSOCIATED_TOKEN_PROGRAM,
    bytes.LOADER_PROGRAM,
  ]) {
    contracts.set(program, program);
  }
  const endow = (address: string, asset: string, amountRaw: bigint): void => {
    if (asset === NATIVE) {
      const account = accounts.get(address);
      accounts.put(address, { ...account, lamports: account.lamports + amountRaw });
      return;
    }
    const side = accounts.tokenSide(address, asset);
    const held = accounts.get(side.account).holding?.amountRaw ?? 0n;
    accounts.put(side.account, {
      lamports: TOKEN_ACCOUNT_RENT + (asset === bytes.WRAPPED_SOL ? held + amountRaw : 0n),
      program: side.program,
      holding: { mint: asset, owner: address, amountRaw: held + amountRaw, delegate: null },
    });
  };
  const append = (draft: Draft, instructions: readonly bytes.Instruction[], feeLamports: bigint): string => {
    const execution = beginExecution({
      accounts,
      payer: draft.sender,
      feeLamports,
      isContract: (address) => contracts.has(address),
    });
    const failed = draft.fails === true;
    try {
      for (const instruction of instructions) pushTop(execution, instruction);
      for (const call of draft.calls) executeCall(execution, call);
    } catch (error) {
      rollBack(execution);
      throw error;
    }
    if (failed) failExecution(execution);
    const usesTables = draft.calls.some((call) => call.program !== undefined) && random.chance(0.4);
    const signature = newHash();
    transactions.push(
      compileTransaction({
        execution,
        signature,
        newSignature: newHash,
        recentBlockhash: previousBlockhash,
        failed,
        lookupOf: usesTables ? lookupOf : null,
        standingLamports,
      }),
    );
    leaderLamports += feeLamports - BASE_FEE / 2n;
    return signature;
  };
  const writeVotes = (): void => {
    for (const { identity, voteAccount } of validators) {
      if (!random.chance(0.8)) continue;
      append({ sender: identity, calls: [] }, [bytes.vote(voteAccount, identity, slot - 1)], BASE_FEE);
    }
  };
  for (const { identity, voteAccount } of validators) {
    endow(identity, NATIVE, 50_000_000_000n);
    accounts.put(voteAccount, { lamports: 26_858_640n, program: bytes.VOTE_PROGRAM, holding: null });
  }

  return {
    chain,
    family: 'solana',
    wrapped: bytes.WRAPPED_SOL,
    feeReserveRaw: 10_000_000n,
    paymentFeeMaxRaw: 50_000n,
    newAddress,
    newDerived,
    endow,
    addContract: (address, program) => {
      contracts.set(address, program ?? address);
      // Pools hold wrapped SOL in token accounts and may move those lamports.
      if (program !== undefined) {
        const account = accounts.get(address);
        accounts.put(address, { ...account, lamports: account.lamports + 2_000_000n, program });
      }
    },
    addToken: ({ decimals, address = newAddress(), feeBasisPoints = 0 }) => {
      const program = feeBasisPoints > 0 ? bytes.TOKEN_2022_PROGRAM : bytes.TOKEN_PROGRAM;
      accounts.addMint({ address, decimals, program, feeBasisPoints });
      mints.add(address);
      return address;
    },
    balance: (address, asset) =>
      asset === NATIVE
        ? accounts.get(address).lamports
        : (accounts.get(accounts.tokenSide(address, asset).account).holding?.amountRaw ?? 0n),
    write: (draft): Written => {
      const priority = random.chance(0.5) ? random.between(1, 200_000) : 0;
      const budget = priority > 0 ? [bytes.computeUnitPrice(priority), bytes.computeUnitLimit(200_000)] : [];
      const hash = append(draft, budget, BASE_FEE + BigInt(Math.ceil(priority / 5)));
      return { hash, blockNumber: slot, timeUnixSeconds: blockTime };
    },
    open: (number, timeUnixSeconds) => {
      parentSlot = slot === 0 ? number - 1 : slot;
      slot = number;
      blockTime = timeUnixSeconds;
      height++;
      previousBlockhash = blockhash;
      blockhash = newName();
      transactions = [];
      leaderLamports = 0n;
      writeVotes();
    },
    seal: () => {
      const leader = validators[slot % validators.length]?.identity ?? '';
      const account = accounts.get(leader);
      const postBalance = account.lamports + leaderLamports;
      accounts.put(leader, { ...account, lamports: postBalance });
      const reward = {
        pubkey: leader,
        lamports: Number(leaderLamports),
        postBalance: Number(postBalance),
        rewardType: 'Fee',
        commission: null,
      };
      return {
        family: 'solana',
        chain,
        number: slot,
        result: {
          blockhash,
          previousBlockhash,
          parentSlot,
          blockTime,
          blockHeight: height,
          transactions,
          rewards: leaderLamports > 0n ? [reward] : [],
        },
      };
    },
  };
};
