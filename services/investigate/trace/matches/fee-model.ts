import { parseWholeUnits } from '../../model/amount.ts';
import { knownDecimals } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import { NATIVE } from '../../model/movement.ts';
import type { AmountRange } from '../../model/trace-reader.ts';
import models from './fee-models.json' with { type: 'json' };

/**
 * How a service treats amounts: equal notes, free amounts less a mixer's fee, or an exchange's fee; `swap`:
 * the payout is another asset of the same value.
 */
export type Mode = 'fixed' | 'free' | 'exchange' | 'swap';

/** The minimum and maximum that is kept of an amount: parts per million, and raw units. */
export type FeeModel = {
  readonly sharePpm: readonly [bigint, bigint];
  readonly flatRaw: readonly [bigint, bigint];
};

type ModelEntry = {
  readonly share_ppm: readonly number[];
  readonly flat?: Readonly<Record<string, readonly string[]>>;
};

const MILLION = 1_000_000n;
const ENTITIES: ReadonlyMap<string, ModelEntry> = new Map(Object.entries(models.entities));

export const chooseFeeModel = (
  chain: Chain,
  { entity, mode, canonicalAsset }: { entity: string; mode: Mode; canonicalAsset: string },
): FeeModel => {
  const entry: ModelEntry = ENTITIES.get(toKey(entity)) ?? models.defaults[mode];
  const symbol = canonicalAsset === NATIVE ? chain.native.symbol : 'USD';
  const flat = entry.flat?.[symbol];
  const raw = (at: number): bigint =>
    parseWholeUnits(flat?.[at] ?? '0', knownDecimals(chain, canonicalAsset) ?? 0);
  return {
    sharePpm: [BigInt(entry.share_ppm[0] ?? 0), BigInt(entry.share_ppm[1] ?? 0)],
    flatRaw: [raw(0), raw(1)],
  };
};

/** Whether a mixer's fee for any amount is known. Other mixers' fees are read from their deposits. */
export const takesAnyAmount = ({ entity }: { readonly entity: string }): boolean =>
  ENTITIES.has(toKey(entity));

/**
 * Whether the service is known to swap assets. Most swappers are recognised by the address that they create
 * for each order.
 */
export const isSwapper = (entity: string): boolean => models.swappers.names.includes(toKey(entity));

/** Lists write "Privacy Cash" and "privacy-cash". */
const toKey = (entity: string): string => entity.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/**
 * The range of payouts for a deposit of `amountRaw`. One unit wider on each side when a share is kept, so
 * that any rounding fits, as in `isExactFee`.
 */
export const paidOutRange = ({ sharePpm, flatRaw }: FeeModel, amountRaw: bigint): AmountRange => {
  const less = (ppm: bigint, flat: bigint, outwards: bigint): bigint => {
    const rest = amountRaw - (amountRaw * ppm) / MILLION - flat + (ppm > 0n ? outwards : 0n);
    return rest > 0n ? rest : 1n;
  };
  return { minRaw: less(sharePpm[1], flatRaw[1], -1n), maxRaw: less(sharePpm[0], flatRaw[0], 1n) };
};

/**
 * The range of deposits for a payout of `amountRaw`. One unit wider on each side, because shares are
 * truncated when charged.
 */
export const paidInRange = ({ sharePpm, flatRaw }: FeeModel, amountRaw: bigint): AmountRange => {
  const before = (ppm: bigint, flat: bigint): bigint => ((amountRaw + flat) * MILLION) / (MILLION - ppm);
  const minRaw = before(sharePpm[0], flatRaw[0]) - 1n;
  return { minRaw: minRaw > 0n ? minRaw : 1n, maxRaw: before(sharePpm[1], flatRaw[1]) + 1n };
};

/** Whether the model, if known to the last unit, gives exactly this payout for this deposit. */
export const isExactFee = ({ sharePpm, flatRaw }: FeeModel, inRaw: bigint, outRaw: bigint): boolean => {
  if (sharePpm[0] !== sharePpm[1] || flatRaw[0] !== flatRaw[1]) return false;
  const rounding = inRaw - (inRaw * sharePpm[0]) / MILLION - flatRaw[0] - outRaw;
  return rounding >= -1n && rounding <= 1n;
};
