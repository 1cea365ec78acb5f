import { COIN_KINDS, type HistoryKind, TOKEN_KINDS } from '../../../investigate/model/history.ts';
import { NATIVE } from '../../../investigate/model/movement.ts';
import { malformed } from '../../nodes/decode-answer.ts';
import { encodeBase58 } from '../../solana/encoding/base58.ts';
import { isWrappedNative } from '../../solana/ledger/wrapped-native.ts';
import type { DecodedTransaction } from '../history-source.ts';

/** A wallet's holdings, and the slots of the answers, which may differ. */
export type WalletHoldings = {
  readonly firstSlot: number;
  readonly lastSlot: number;
  readonly tokenAccounts: readonly string[];
  /** Raw amounts; the coin includes wrapped SOL. */
  readonly amounts: ReadonlyMap<string, bigint>;
};

/** The JSON answer to one question, parsed. */
type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
];
const FINALIZED = { commitment: 'finalized' } as const;
/** Of a token account: 32 bytes of mint, 32 of owner, and the amount. */
const AMOUNT_AT = 64;
const HELD_BYTES = 72;

/** Throws a `SourceError` if an answer has another form. */
export const askHoldings = async (ask: Ask, wallet: string): Promise<WalletHoldings> => {
  const amounts = new Map<string, bigint>();
  const add = (asset: string, amountRaw: bigint) =>
    amounts.set(asset, (amounts.get(asset) ?? 0n) + amountRaw);
  const tokenAccounts: string[] = [];
  const slots: number[] = [];
  for (const programId of TOKEN_PROGRAMS) {
    const options = { ...FINALIZED, encoding: 'base64', dataSlice: { offset: 0, length: HELD_BYTES } };
    const answer = await ask('getTokenAccountsByOwner', [wallet, { programId }, options]);
    slots.push(slotOf(answer, 'getTokenAccountsByOwner'));
    for (const { address, mint, amountRaw } of readAccounts(answer)) {
      tokenAccounts.push(address);
      add(isWrappedNative(mint) ? NATIVE : mint, amountRaw);
    }
  }
  const answer = await ask('getBalance', [wallet, FINALIZED]);
  slots.push(slotOf(answer, 'getBalance'));
  add(NATIVE, readBalance(answer));
  return { firstSlot: Math.min(...slots), lastSlot: Math.max(...slots), tokenAccounts, amounts };
};

/**
 * The kinds of which a whole history lacks nothing, because its rows add up to what the wallet has. Closed accounts
 * and rewards are listed nowhere, and only the holdings show them. `transactions`: all that were listed, in any order.
 */
export const kindsProvedBy = (
  wallet: string,
  { firstSlot, lastSlot, amounts }: WalletHoldings,
  transactions: readonly DecodedTransaction[],
): HistoryKind[] => {
  const left = new Map(amounts);
  for (const { block, lacks } of transactions) {
    if (lacks !== null) return [];
    if (block === null || block.number > lastSlot) continue;
    // It arrived during the questions and is in some of the answers.
    if (block.number > firstSlot) return [];
    for (const { asset, from, to, amountRaw } of block.movements) {
      if (to === wallet) left.set(asset, (left.get(asset) ?? 0n) - amountRaw);
      if (from === wallet) left.set(asset, (left.get(asset) ?? 0n) + amountRaw);
    }
  }
  const wrong = [...left].flatMap(([asset, amountRaw]) => (amountRaw === 0n ? [] : [asset]));
  return [
    ...(wrong.includes(NATIVE) ? [] : COIN_KINDS),
    ...(wrong.some((asset) => asset !== NATIVE) ? [] : TOKEN_KINDS),
  ];
};

const slotOf = (answer: unknown, method: string): number => {
  const { context } = (answer ?? {}) as { context?: { slot?: unknown } | null };
  if (typeof context?.slot === 'number') return context.slot;
  throw malformed(`${method} did not say of which slot it tells`);
};

const readAccounts = (answer: unknown) => {
  const { value } = (answer ?? {}) as { value?: unknown };
  if (!Array.isArray(value)) throw malformed('getTokenAccountsByOwner gave no list');
  return value.map((entry: { pubkey?: unknown; account?: { data?: unknown } } | null) => {
    const data = entry?.account?.data;
    const bytes = Buffer.from(Array.isArray(data) ? String(data[0]) : '', 'base64');
    if (typeof entry?.pubkey !== 'string' || bytes.length !== HELD_BYTES)
      throw malformed('getTokenAccountsByOwner gave an account without its address or what it holds');
    const mint = encodeBase58(bytes, 0, 32);
    return { address: entry.pubkey, mint, amountRaw: bytes.readBigUInt64LE(AMOUNT_AT) };
  });
};

/** Inexact doubles suffice: they are compared with exact values and then differ. */
const readBalance = (answer: unknown): bigint => {
  const { value } = answer as { value?: unknown };
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw malformed('getBalance gave no balance');
};
