import type { Account } from './accounts.ts';
import type { Execution } from './execution.ts';
import type { Instruction } from './instructions.ts';

/** JSON shapes of a node's `getBlock` answer in `json` encoding. */
export type JsonInstruction = {
  programIdIndex: number;
  accounts: number[];
  data: string;
  stackHeight: number | null;
};
export type JsonTokenBalance = {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  uiTokenAmount: { amount: string; decimals: number; uiAmount: number | null; uiAmountString: string };
};
export type JsonLookup = { accountKey: string; writableIndexes: number[]; readonlyIndexes: number[] };
export type JsonMessage = {
  header: {
    numRequiredSignatures: number;
    numReadonlySignedAccounts: number;
    numReadonlyUnsignedAccounts: number;
  };
  accountKeys: string[];
  recentBlockhash: string;
  instructions: JsonInstruction[];
  addressTableLookups?: JsonLookup[];
};
export type JsonTransaction = {
  transaction: { signatures: string[]; message: JsonMessage };
  meta: Readonly<Record<string, unknown>> & { fee: number };
  version: 'legacy' | 0;
};

/** An address's place in a lookup table; null if it is in none. */
export type LookupOf = (address: string) => { table: string; index: number };

export type CompileInput = {
  readonly execution: Execution;
  readonly signature: string;
  /** More signatures, one per further signer. */
  readonly newSignature: () => string;
  readonly recentBlockhash: string;
  readonly failed: boolean;
  /** If set: a version 0 transaction that uses lookup tables where possible. */
  readonly lookupOf: LookupOf | null;
  /** Constant lamports of programs and mints. */
  readonly standingLamports: (address: string) => bigint;
};

type Keys = {
  readonly ordered: string[];
  readonly staticCount: number;
  readonly header: JsonMessage['header'];
  readonly loaded: { writable: string[]; readonly: string[] };
  readonly lookups: JsonLookup[];
};

const collectKeys = (execution: Execution): Set<string> => {
  const keys = new Set([execution.payer]);
  const add = ({ program, accounts }: Instruction): void => {
    for (const account of accounts) keys.add(account);
    keys.add(program);
  };
  for (const { instruction, inner } of execution.topLevel) {
    add(instruction);
    for (const each of inner) add(each);
  }
  return keys;
};

const toLookups = (writable: string[], readonly: string[], lookupOf: LookupOf): JsonLookup[] => {
  const tables = new Map<string, JsonLookup>();
  const add = (address: string, list: 'writableIndexes' | 'readonlyIndexes'): void => {
    const { table, index } = lookupOf(address);
    const lookup = tables.get(table) ?? { accountKey: table, writableIndexes: [], readonlyIndexes: [] };
    lookup[list].push(index);
    tables.set(table, lookup);
  };
  for (const address of writable) add(address, 'writableIndexes');
  for (const address of readonly) add(address, 'readonlyIndexes');
  return [...tables.values()];
};

/** Loaded addresses are ordered by table, so the keys must follow the tables. */
const byTable = (addresses: string[], lookupOf: LookupOf, tables: readonly string[]): string[] =>
  tables.flatMap((table) => addresses.filter((address) => lookupOf(address).table === table));

const orderKeys = (execution: Execution, lookupOf: LookupOf | null): Keys => {
  const { signers, before, topLevel } = execution;
  const invoked = new Set(topLevel.map(({ instruction }) => instruction.program));
  const groups = { ws: [] as string[], rs: [] as string[], w: [] as string[], r: [] as string[] };
  const loaded = { writable: [] as string[], readonly: [] as string[] };
  for (const key of collectKeys(execution)) {
    const writes = before.has(key);
    if (signers.has(key)) groups[writes ? 'ws' : 'rs'].push(key);
    else if (lookupOf !== null && !invoked.has(key)) loaded[writes ? 'writable' : 'readonly'].push(key);
    else groups[writes ? 'w' : 'r'].push(key);
  }
  const lookups = lookupOf === null ? [] : toLookups(loaded.writable, loaded.readonly, lookupOf);
  if (lookupOf !== null) {
    const tables = lookups.map(({ accountKey }) => accountKey);
    loaded.writable = byTable(loaded.writable, lookupOf, tables);
    loaded.readonly = byTable(loaded.readonly, lookupOf, tables);
  }
  const fixed = [...groups.ws, ...groups.rs, ...groups.w, ...groups.r];
  return {
    ordered: [...fixed, ...loaded.writable, ...loaded.readonly],
    staticCount: fixed.length,
    header: {
      numRequiredSignatures: groups.ws.length + groups.rs.length,
      numReadonlySignedAccounts: groups.rs.length,
      numReadonlyUnsignedAccounts: groups.r.length,
    },
    loaded,
    lookups,
  };
};

const uiString = (amountRaw: bigint, decimals: number): string => {
  if (decimals === 0) return String(amountRaw);
  const digits = String(amountRaw).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`);
};

const tokenBalance = (
  account: Account,
  accountIndex: number,
  execution: Execution,
): JsonTokenBalance | null => {
  const { holding, program } = account;
  if (holding === null) return null;
  const { decimals } = execution.accounts.mint(holding.mint);
  const uiAmountString = uiString(holding.amountRaw, decimals);
  return {
    accountIndex,
    mint: holding.mint,
    owner: holding.owner,
    programId: program,
    uiTokenAmount: {
      amount: String(holding.amountRaw),
      decimals,
      uiAmount: holding.amountRaw === 0n ? null : Number(uiAmountString),
      uiAmountString,
    },
  };
};

const logsOf = (execution: Execution, failed: boolean): string[] =>
  execution.topLevel.flatMap(({ instruction, inner, events }, at) => {
    const { program } = instruction;
    const last = failed && at === execution.topLevel.length - 1;
    return [
      `Program ${program} invoke [1]`,
      ...inner.flatMap((each) => [`Program ${each.program} invoke [2]`, `Program ${each.program} success`]),
      ...events.map((event) => `Program data: ${event}`),
      last ? `Program ${program} failed: custom program error: 0x1` : `Program ${program} success`,
    ];
  });

/** The transaction in a node's form, with balances before and after. */
export const compileTransaction = (input: CompileInput): JsonTransaction => {
  const { execution, failed, lookupOf } = input;
  const keys = orderKeys(execution, lookupOf);
  const indexOf = new Map(keys.ordered.map((key, index) => [key, index]));
  const toJson = ({ program, accounts, data }: Instruction, stackHeight: number | null): JsonInstruction => ({
    programIdIndex: indexOf.get(program) ?? 0,
    accounts: accounts.map((account) => indexOf.get(account) ?? 0),
    data,
    stackHeight,
  });
  const before = keys.ordered.map((key) => execution.before.get(key) ?? execution.accounts.get(key));
  const after = keys.ordered.map((key) => execution.accounts.get(key));
  // Programs and mints have constant balances; the touched accounts are in the books.
  const lamportsOf = (account: Account, index: number): number => {
    const key = keys.ordered[index] ?? '';
    const isBooked = account.lamports > 0n || execution.before.has(key);
    return Number(isBooked ? account.lamports : input.standingLamports(key));
  };
  const tokensOf = (accounts: Account[]): JsonTokenBalance[] =>
    accounts.flatMap((account, index) => tokenBalance(account, index, execution) ?? []);
  const failedAt = execution.topLevel.length - 1;
  const error = failed ? { InstructionError: [failedAt, { Custom: 1 }] } : null;
  const signatures = [input.signature];
  while (signatures.length < keys.header.numRequiredSignatures) signatures.push(input.newSignature());
  const message: JsonMessage = {
    header: keys.header,
    accountKeys: keys.ordered.slice(0, keys.staticCount),
    recentBlockhash: input.recentBlockhash,
    instructions: execution.topLevel.map(({ instruction }) => toJson(instruction, null)),
  };
  if (lookupOf !== null) message.addressTableLookups = keys.lookups;
  return {
    transaction: { signatures, message },
    meta: {
      err: error,
      status: failed ? { Err: error } : { Ok: null },
      fee: Number(execution.feeLamports),
      preBalances: before.map(lamportsOf),
      postBalances: after.map(lamportsOf),
      innerInstructions: execution.topLevel.flatMap(({ inner }, index) =>
        inner.length === 0 ? [] : [{ index, instructions: inner.map((each) => toJson(each, 2)) }],
      ),
      logMessages: logsOf(execution, failed),
      preTokenBalances: tokensOf(before),
      postTokenBalances: tokensOf(after),
      rewards: [],
      loadedAddresses: keys.loaded,
      computeUnitsConsumed: 450 + 2_100 * execution.topLevel.length,
    },
    version: lookupOf === null ? 'legacy' : 0,
  };
};
