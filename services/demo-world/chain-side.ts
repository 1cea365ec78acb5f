import { NATIVE } from '../investigate/model/movement.ts';
import type { EvmBlock } from './evm-writer/create-evm-writer.ts';
import type { Prices } from './prices.ts';
import type { Random } from './random.ts';
import type { Simulation } from './simulation.ts';
import type { SolanaBlock } from './solana-writer/create-solana-writer.ts';
import type { Anchor, TruthLog } from './truth.ts';
import { type Asset, type Draft, Overdraft, type Writer, type Written } from './writer.ts';

export type WorldBlock = SolanaBlock | EvmBlock;

export type TokenInfo = { readonly asset: Asset; readonly symbol: string; readonly decimals: number };

/** One chain of the world, and what every actor knows of it. */
export type ChainSide = {
  readonly chain: string;
  readonly writer: Writer<WorldBlock>;
  readonly native: TokenInfo;
  readonly usdc: TokenInfo;
  readonly usdt: TokenInfo;
  /** Traded tokens, the most liquid first. */
  readonly tokens: readonly TokenInfo[];
  /** Has the stablecoin's symbol and no worth. */
  readonly counterfeit: TokenInfo;
  readonly taxed: TokenInfo | null;
  readonly infoOf: (asset: Asset) => TokenInfo;
};

/** What every actor receives. */
export type Stage = {
  readonly random: Random;
  readonly simulation: Simulation;
  readonly prices: Prices;
  readonly truth: TruthLog;
  readonly startUnixSeconds: number;
  readonly days: number;
  readonly people: number;
};

const EXACT_DIGITS = 9;

/** An amount as people type it, in raw units: at most nine decimals. */
export const toRaw = (info: TokenInfo, amount: number): bigint => {
  const digits = Math.min(info.decimals, EXACT_DIGITS);
  return BigInt(Math.round(amount * 10 ** digits)) * 10n ** BigInt(info.decimals - digits);
};

export const toAmount = (info: TokenInfo, amountRaw: bigint): number =>
  Number(amountRaw) / 10 ** info.decimals;

/** The raw amount that this many dollars buy at the true price, with all digits. */
export const rawForUsd = (stage: Stage, info: TokenInfo, usd: number): bigint =>
  toRaw(info, usd / stage.prices.usd(info.symbol, stage.simulation.now()));

export const usdOf = (stage: Stage, info: TokenInfo, amountRaw: bigint): number =>
  toAmount(info, amountRaw) * stage.prices.usd(info.symbol, stage.simulation.now());

/** What the wallet can spend: its coin less the fees of a few transactions. */
export const spendable = (side: ChainSide, address: string, asset: Asset): bigint => {
  const held = side.writer.balance(address, asset);
  if (asset !== NATIVE) return held;
  const reserve = side.writer.feeReserveRaw;
  return held > reserve ? held - reserve : 0n;
};

/** Writes the draft; null and no change if somebody lacks the money, because people check before they send. */
export const tryWrite = (side: ChainSide, draft: Draft): Written | null => {
  try {
    return side.writer.write(draft);
  } catch (error) {
    if (error instanceof Overdraft) return null;
    throw error;
  }
};

/** A plain payment; `payer` pays the fee if that is another party (Solana only). */
export const pay = (
  side: ChainSide,
  from: string,
  to: string,
  asset: Asset,
  amountRaw: bigint,
  payer = from,
): Written | null => {
  if (amountRaw <= 0n || from === to) return null;
  const sender = side.writer.family === 'solana' ? payer : from;
  return tryWrite(side, {
    sender,
    calls: [{ moves: [{ type: 'transfer', from, to, asset, amountRaw }] }],
  });
};

/** A third of it in the coin, a third in each stablecoin. */
export const stock = (stage: Stage, side: ChainSide, address: string, usd: number): void => {
  for (const info of [side.native, side.usdc, side.usdt]) {
    side.writer.endow(address, info.asset, rawForUsd(stage, info, usd / 3));
  }
};

/** A transfer of the wallet, as the truth names it. */
export const anchor = (
  side: ChainSide,
  written: Written,
  wallet: string,
  asset: Asset,
  amountRaw: bigint,
): Anchor => ({
  chain: side.chain,
  tx: written.hash,
  wallet,
  time: written.timeUnixSeconds,
  asset,
  amount_raw: String(amountRaw),
});
