import type { AccountKeys } from '../../ingest/solana/encoding/account-keys.ts';
import { decodeBase58Into, encodeBase58 } from '../../ingest/solana/encoding/base58.ts';
import type { RawBlock, RawInstruction, RawMeta } from '../../ingest/solana/encoding/raw-block.ts';
import { readTransaction } from '../../ingest/solana/encoding/transaction-parts.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { type Movement, NATIVE } from '../../investigate/model/movement.ts';

/**
 * The sum rule, checked from the balances alone: nothing here replays an instruction, so that a mistake of the decoder
 * cannot repeat itself in its check. The only thing read from instructions is who opened which token account, where
 * the balances do not name an owner.
 */

export type SumRuleBreak = {
  readonly txIndex: number;
  /** null: lamports locked in token accounts. */
  readonly party: string | null;
  readonly asset: string;
  /** What the balances say, and what the rows sum to. */
  readonly expectedRaw: bigint;
  readonly actualRaw: bigint;
};

type Sums = Map<string, bigint>;

const SEPARATOR = ' ';
const WRAPPED = new Set([
  'So11111111111111111111111111111111111111112',
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9',
]);
const TOKEN_PROGRAMS = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);

/** Every (transaction, party, asset) whose rows do not sum to the change of its balance; exempt ones are left out. */
export const findSumRuleBreaks = (block: RawBlock, decoded: DecodedBlock): SumRuleBreak[] => {
  const rows = Map.groupBy(decoded.movements, ({ txIndex }) => txIndex);
  const exempt = new Set(Object.values(decoded.exempt).flat());
  const owners = new Map<string, string>();
  const breaks: SumRuleBreak[] = [];
  for (const [txIndex, raw] of block.transactions.entries()) {
    if (exempt.has(txIndex) || raw.meta === null) continue;
    const { keys, instructions } = readTransaction(raw, raw.meta);
    learnOwners(keys, raw.meta, instructions, owners);
    const expected = expectedSums(keys, raw.meta, owners);
    compareSums(txIndex, expected, actualSums(rows.get(txIndex) ?? []), breaks);
  }
  return breaks;
};

const compareSums = (txIndex: number, expected: Sums, actual: Sums, breaks: SumRuleBreak[]): void => {
  for (const id of new Set([...expected.keys(), ...actual.keys()])) {
    const expectedRaw = expected.get(id) ?? 0n;
    const actualRaw = actual.get(id) ?? 0n;
    if (expectedRaw === actualRaw) continue;
    const [party = '', asset = ''] = id.split(SEPARATOR);
    breaks.push({ txIndex, party: party === '' ? null : party, asset, expectedRaw, actualRaw });
  }
};

const add = (sums: Sums, party: string, asset: string, amount: bigint): void => {
  const id = party + SEPARATOR + asset;
  sums.set(id, (sums.get(id) ?? 0n) + amount);
};

const actualSums = (rows: readonly Movement[]): Sums => {
  const sums: Sums = new Map();
  for (const { from, to, asset, amountRaw, kind } of rows) {
    if (from !== null) add(sums, from, asset, -amountRaw);
    else if (kind === 'rent') add(sums, '', asset, -amountRaw);
    if (to !== null) add(sums, to, asset, amountRaw);
    else if (kind === 'rent') add(sums, '', asset, amountRaw);
  }
  return sums;
};

/** An address is a party where the balances do not list it as a token account: before, after, or both. */
const expectedSums = (keys: AccountKeys, meta: RawMeta, owners: ReadonlyMap<string, string>): Sums => {
  const sums: Sums = new Map();
  const count = (
    sign: bigint,
    lamports: RawMeta['preBalances'],
    listed: RawMeta['preTokenBalances'],
  ): void => {
    const free = lamports.map((amount) => sign * BigInt(amount));
    const tokenAccounts = new Set<number>();
    for (const balance of listed ?? []) {
      tokenAccounts.add(balance.accountIndex);
      const key = keys.at(balance.accountIndex);
      const party = balance.owner || owners.get(key) || key;
      const amount = sign * BigInt(balance.uiTokenAmount.amount);
      const isWrapped = WRAPPED.has(balance.mint);
      add(sums, party, isWrapped ? NATIVE : balance.mint, amount);
      if (isWrapped) free[balance.accountIndex] = (free[balance.accountIndex] ?? 0n) - amount;
    }
    for (const [index, amount] of free.entries())
      add(sums, tokenAccounts.has(index) ? '' : keys.at(index), NATIVE, amount);
  };
  count(-1n, meta.preBalances, meta.preTokenBalances);
  count(1n, meta.postBalances, meta.postTokenBalances);
  for (const { lamports } of meta.rewards ?? []) if (lamports < 0) add(sums, '', NATIVE, -BigInt(lamports));
  return sums;
};

/** Who opened a token account, where the balances do not say it. */
const learnOwners = (
  keys: AccountKeys,
  meta: RawMeta,
  instructions: readonly RawInstruction[],
  owners: Map<string, string>,
): void => {
  if (meta.err !== null && meta.err !== undefined) return;
  const inner = (meta.innerInstructions ?? []).flatMap((group) => group.instructions);
  for (const instruction of [...instructions, ...inner]) {
    const opened = readOpening(keys, instruction);
    if (opened !== null) owners.set(opened.account, opened.owner);
  }
};

const readOpening = (
  keys: AccountKeys,
  instruction: RawInstruction,
): { readonly account: string; readonly owner: string } | null => {
  const { programIdIndex, programId, parsed, accounts, data } = instruction;
  if (!TOKEN_PROGRAMS.has(programId ?? keys.at(programIdIndex ?? -1))) return null;
  if (typeof parsed === 'object' && parsed !== null && 'type' in parsed && 'info' in parsed) {
    const info = parsed.info as { account?: string; owner?: string };
    const isOpening = String(parsed.type).startsWith('initializeAccount');
    return isOpening && info.account && info.owner ? { account: info.account, owner: info.owner } : null;
  }
  if (accounts === undefined || data === undefined) return null;
  const bytes = new Uint8Array(12_288);
  const length = decodeBase58Into(data, bytes);
  const name = (position: number): string => {
    const account = accounts[position];
    return typeof account === 'number' ? keys.at(account) : String(account);
  };
  if (length === 1 && bytes[0] === 1) return { account: name(0), owner: name(2) };
  if (length === 33 && (bytes[0] === 16 || bytes[0] === 18))
    return { account: name(0), owner: encodeBase58(bytes, 1, 32) };
  return null;
};
