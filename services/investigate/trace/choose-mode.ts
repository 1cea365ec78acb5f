import type { Direction, TimeRange } from '../model/trace-reader.ts';
import type { Ask } from './ask.ts';
import type { Mode } from './fee-model.ts';
import type { Pool } from './find-pool.ts';
import type { Middle } from './resolve-middle.ts';
import { FIXED_SHARE, POOL_SAMPLE } from './rules.ts';

/** `denominationRaw`: the note of a pool that takes only equal ones. */
export type ModeFound = { readonly mode: Mode; readonly denominationRaw: bigint | null };

/**
 * Whether the pool takes equal notes or any amount, by what was last paid into it: a pool shows its denomination
 * without anybody having to list it. An anchor that such a note does not explain is traced as a free amount: a deposit
 * that is no multiple of it, a withdrawal that is none either and more than a note less its relayer's fee.
 */
export const chooseMode = async (
  { address: wallet, moved }: Pool,
  { middle, range, direction }: { middle: Middle; range: TimeRange; direction: Direction },
  { reader, limits }: Ask,
): Promise<ModeFound> => {
  if (middle.kind === 'exchange') return { mode: 'exchange', denominationRaw: null };
  if (moved === null) return { mode: 'free', denominationRaw: null };
  const { family, amountRaw } = moved;
  const sample = await reader.walletTransfers({
    ...limits,
    fromUnixSeconds: 0,
    toUnixSeconds: range.toUnixSeconds,
    wallet,
    direction: 'in',
    family,
    limit: POOL_SAMPLE,
  });
  const counts = new Map<bigint, number>();
  for (const paid of sample) counts.set(paid.amountRaw, (counts.get(paid.amountRaw) ?? 0) + 1);
  const [note, count] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [0n, 0];
  const isFixed = count > 0 && count >= FIXED_SHARE * sample.length;
  const explains = note > 0n && (amountRaw % note === 0n || (direction === 'in' && amountRaw < note));
  return isFixed && explains
    ? { mode: 'fixed', denominationRaw: note }
    : { mode: 'free', denominationRaw: null };
};
