import { parseWholeUnits } from '../../model/amount.ts';
import { knownDecimals } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import { NATIVE } from '../../model/movement.ts';
import type { AmountRange } from '../../model/trace-reader.ts';
import models from './fee-models.json' with { type: 'json' };

/**
 * How a service treats amounts: equal notes, free amounts less a mixer's fee, or an exchange's; `swap`, where what comes
 * out is another asset of the same worth.
 */
export type Mode = 'fixed' | 'free' | 'exchange' | 'swap';

/** What is kept of an amount, at least and at most: parts per million of it, and raw units. */
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

/** Whether it is known what a mixer keeps of any amount; what others take, their deposits tell. */
export const takesAnyAmount = ({ entity }: { readonly entity: string }): boolean =>
  ENTITIES.has(toKey(entity));

/** Whether the service is known to swap assets; most of them are told by the address they make for each order. */
export const isSwapper = (entity: string): boolean => models.swappers.names.includes(toKey(entity));

/** Lists write "Privacy Cash" and "privacy-cash". */
const toKey = (entity: string): string => entity.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** What can come out when `amountRaw` goes in. Outwards by one unit where a share is kept, however that is rounded, as `isExactFee` has it. */
export const paidOutRange = ({ sharePpm, flatRaw }: FeeModel, amountRaw: bigint): AmountRange => {
  const less = (ppm: bigint, flat: bigint, outwards: bigint): bigint => {
    const rest = amountRaw - (amountRaw * ppm) / MILLION - flat + (ppm > 0n ? outwards : 0n);
    return rest > 0n ? rest : 1n;
  };
  return { minRaw: less(sharePpm[1], flatRaw[1], -1n), maxRaw: less(sharePpm[0], flatRaw[0], 1n) };
};

/** What can have gone in when `amountRaw` came out. Rounded outwards by one unit at either end: shares are cut off when charged. */
export const paidInRange = ({ sharePpm, flatRaw }: FeeModel, amountRaw: bigint): AmountRange => {
  const before = (ppm: bigint, flat: bigint): bigint => ((amountRaw + flat) * MILLION) / (MILLION - ppm);
  const minRaw = before(sharePpm[0], flatRaw[0]) - 1n;
  return { minRaw: minRaw > 0n ? minRaw : 1n, maxRaw: before(sharePpm[1], flatRaw[1]) + 1n };
};

/** Whether the model, where it is known to the last unit, turns what went in into what came out. */
export const isExactFee = ({ sharePpm, flatRaw }: FeeModel, inRaw: bigint, outRaw: bigint): boolean => {
  if (sharePpm[0] !== sharePpm[1] || flatRaw[0] !== flatRaw[1]) return false;
  const rounding = inRaw - (inRaw * sharePpm[0]) / MILLION - flatRaw[0] - outRaw;
  return rounding >= -1n && rounding <= 1n;
};
