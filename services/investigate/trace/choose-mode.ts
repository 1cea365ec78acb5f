import type { Address } from '../model/address.ts';
import { sumOf } from '../model/amount.ts';
import type { CanonicalAsset } from '../model/asset.ts';
import type { TimeRange } from '../model/trace-reader.ts';
import { significantDigits } from './amounts.ts';
import type { FoundAnchor } from './anchor/find-anchor.ts';
import type { Pool } from './anchor/find-pool.ts';
import { readLastTransfers } from './anchor/read-last-transfers.ts';
import { isStray } from './dust.ts';
import { isMostOf } from './link-legs.ts';
import { chooseFeeModel, type Mode, paidOutRange, takesAnyAmount } from './matches/fee-model.ts';
import type { QueryContext } from './query-context.ts';
import type { Intermediary } from './resolve-intermediary.ts';
import { FIXED_SHARE, NOTES_MAX, TELLING_DEPOSITS, UNUSUAL_DIGITS } from './rules.ts';
import type { Holding, TraceRequest } from './trace-answer.ts';

/**
 * `denominationRaw`: the note size of a pool that accepts only equal notes. `canonicalAsset`: their asset.
 * Both are null for other modes.
 */
export type ModeFound = {
  readonly mode: Mode;
  readonly denominationRaw: bigint | null;
  readonly canonicalAsset: CanonicalAsset | null;
};

type Choosing = {
  readonly request: TraceRequest;
  readonly intermediary: Intermediary;
  readonly range: TimeRange;
  readonly anchor: FoundAnchor;
};

/**
 * Decides from the last deposits whether the pool accepts only equal notes or any amount, so that no list has
 * to say it. An anchor that does not fit the notes is traced as a free amount. Among several possible assets
 * it takes the one whose notes fit the anchor, and among several of those the one paid most often.
 */
export const chooseMode = async (pool: Pool, search: Choosing, context: QueryContext): Promise<ModeFound> => {
  if (search.intermediary.kind === 'exchange') return withoutNotes('exchange');
  if (takesAnyAmount(search.intermediary)) return withoutNotes('free');
  const paid = await Promise.all(
    pool.moved.map(({ canonicalAsset }) =>
      readPaid(search, { wallet: pool.address, canonicalAsset }, context),
    ),
  );
  const [found] = pool.moved
    .map((moved, index) => ({ moved, ...findNote(paid[index] ?? []) }))
    .flatMap(({ moved, note, ...counted }) => (note === null ? [] : [{ moved, note, ...counted }]))
    .filter(({ moved, note }) => isInNotes(search, { address: pool.address, moved }, note))
    .sort((a, b) => b.count - a.count);
  if (found === undefined) return withoutNotes('free');
  const isThin = found.sampled < TELLING_DEPOSITS;
  if (isThin && (await paysMore(search, { wallet: pool.address, ...found }, context)))
    return withoutNotes('free');
  return { mode: 'fixed', denominationRaw: found.note, canonicalAsset: found.moved.canonicalAsset };
};

const withoutNotes = (mode: Mode): ModeFound => ({ mode, denominationRaw: null, canonicalAsset: null });

/**
 * A deposit is split into single notes: most of what moved must be whole notes, or withdrawals less a
 * relayer's fee. The fee itself is not a note. Otherwise small equal amounts could make a pool of free
 * amounts look like one of notes. For an anchor that is not indexed only the sum is known.
 */
const isInNotes = (
  { request, intermediary, anchor }: Choosing,
  { address, moved: { canonicalAsset, amountRaw } }: { readonly address: Address; readonly moved: Holding },
  note: bigint,
): boolean => {
  const model = chooseFeeModel(request.chain, { entity: intermediary.entity, mode: 'fixed', canonicalAsset });
  const isWithdrawal = request.direction === 'in';
  const leastRaw = isWithdrawal ? paidOutRange(model, note).minRaw : note;
  const isNote = (raw: bigint): boolean => raw >= leastRaw && raw <= note;
  if (!anchor.verified)
    return isNote(amountRaw) || (amountRaw % note === 0n && amountRaw <= note * NOTES_MAX);
  // When money left the pool through a router, the wallet may have received only the fee.
  if (isWithdrawal && anchor.moved.some((moved) => moved.amountRaw < leastRaw)) return false;
  const passed = anchor.rows
    .filter((row) => row.canonicalAsset === canonicalAsset)
    .map(({ from, to, amountRaw: raw }) =>
      isWithdrawal ? { pool: from, other: to, amountRaw: raw } : { pool: to, other: from, amountRaw: raw },
    )
    .filter(({ pool }) => pool === address);
  const direct = passed.filter(({ other }) => other === request.wallet);
  const own = isMostOf(sumOf(direct), amountRaw) ? direct : passed;
  return isMostOf(sumOf(own.filter((row) => isNote(row.amountRaw))), sumOf(own));
};

/** The last payments into the pool. */
const readPaid = async (
  { request: { chain }, range }: Choosing,
  pool: { readonly wallet: Address; readonly canonicalAsset: CanonicalAsset },
  context: QueryContext,
): Promise<readonly bigint[]> => {
  const { transfers } = await readLastTransfers({ chain, range, ...pool, direction: 'in' }, context);
  return transfers.map(({ amountRaw }) => amountRaw);
};

/**
 * Whether the pool paid more than one note at once, which a pool of notes never does. One or two round
 * deposits are no proof of notes.
 */
const paysMore = async (
  { request: { chain }, range }: Choosing,
  {
    wallet,
    moved: { canonicalAsset },
    note,
  }: { readonly wallet: Address; readonly moved: Holding; readonly note: bigint },
  context: QueryContext,
): Promise<boolean> => {
  const { transfers } = await readLastTransfers(
    { chain, range, wallet, canonicalAsset, direction: 'out' },
    context,
  );
  return transfers.some(({ amountRaw }) => amountRaw > note);
};

type NoteFound = { readonly note: bigint | null; readonly count: number; readonly sampled: number };

/**
 * The most frequent value, if nearly all have it apart from strays. null when they differ, or when one person
 * chose them. `count`: how many have it.
 */
const findNote = (paid: readonly bigint[]): NoteFound => {
  const counts = new Map<bigint, number>();
  for (const raw of paid) counts.set(raw, (counts.get(raw) ?? 0) + 1);
  const [note, count] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [0n, 0];
  const others = paid.filter((raw) => raw !== note && !isStray(raw, note)).length;
  const isUsual = count * 2 > paid.length && count >= FIXED_SHARE * (count + others);
  const isNote = isUsual && significantDigits(note) < UNUSUAL_DIGITS;
  return { note: isNote ? note : null, count, sampled: paid.length };
};
