import { COIN_KINDS, type HistoryKind, type HistorySide, type ListedWindow, type Window } from './history.ts';
import { NATIVE } from './movement.ts';
import type { ContiguousRange } from './transfer-reader.ts';
import { gapsWithin, uniteWindows } from './unite-windows.ts';

/** What somebody wants to know of an address from a block on. */
export type SinceQuestion = {
  readonly first: number;
  /** null: all assets. Those of the coin's worth are the coin. */
  readonly asset: string | null;
  readonly side: HistorySide;
};

export type KnownSince = {
  /** Everything from the first block up to this one is known. */
  readonly last: number;
  /** When that block was made, if it was the newest final one when it was read; null if the reading ended before. */
  readonly newestAtUnixSeconds: number | null;
};

type Need = { readonly kind: HistoryKind; readonly isProved: boolean };

/**
 * What leaves in coin is signed by its owner, which nonces prove, or by a contract, of which nothing is proved without
 * its calls. What comes in coin is known only where the balance leaves no room. Tokens tell themselves.
 */
const needsOf = ({ asset, side }: Pick<SinceQuestion, 'asset' | 'side'>): Need[] => {
  if (side === 'emitted') return [{ kind: 'emitted', isProved: false }];
  const tokens: Need[] = [
    ...(side === 'in' ? [] : [{ kind: 'tokens_out' as const, isProved: false }]),
    ...(side === 'out' ? [] : [{ kind: 'tokens_in' as const, isProved: false }]),
  ];
  if (asset !== null && asset !== NATIVE) return tokens;
  const coin = side === 'out' ? (['sent'] as const) : COIN_KINDS;
  return [...tokens, ...coin.map((kind) => ({ kind, isProved: true }))];
};

const isOf =
  ({ kind, isProved }: Need, wanted: string | null) =>
  ({ kinds, asset, proof }: ListedWindow): boolean =>
    kinds.includes(kind) &&
    (asset === null || asset === wanted) &&
    (isProved ? proof === 'proved' : proof !== 'partial');

/** Whether an address is known in all of a window. */
export const knownWithin = (
  windows: readonly ListedWindow[],
  within: Window,
  question: Pick<SinceQuestion, 'asset' | 'side'>,
): boolean =>
  needsOf(question).every(
    (need) => gapsWithin(within, windows.filter(isOf(need, question.asset))).length === 0,
  );

/** How far an address is known from a block on; null: not even that block. */
export const knownSince = (windows: readonly ListedWindow[], question: SinceQuestion): KnownSince | null => {
  let known: KnownSince = { last: Number.POSITIVE_INFINITY, newestAtUnixSeconds: Number.POSITIVE_INFINITY };
  for (const { kind, isProved } of needsOf(question)) {
    const usable = windows.filter(isOf({ kind, isProved }, question.asset));
    const own = reachOf(usable, question.first);
    if (own === null) return null;
    known = {
      last: Math.min(known.last, own.last),
      newestAtUnixSeconds:
        known.newestAtUnixSeconds === null || own.newestAtUnixSeconds === null
          ? null
          : Math.min(known.newestAtUnixSeconds, own.newestAtUnixSeconds),
    };
  }
  return known;
};

/** Whether what is known goes on to the first indexed block, or to the newest one where none is indexed. */
export const reachesIndex = (
  { last, newestAtUnixSeconds }: KnownSince,
  span: Pick<ContiguousRange, 'fromBlock' | 'fromUnixSeconds'> | null,
): boolean =>
  (span !== null && span.fromBlock <= last + 1) ||
  (newestAtUnixSeconds !== null && (span?.fromUnixSeconds ?? 0) <= newestAtUnixSeconds);

const reachOf = (windows: readonly ListedWindow[], first: number): KnownSince | null => {
  const run = uniteWindows(windows).find((each) => each.first <= first && first <= each.last);
  if (run === undefined) return null;
  const atEnd = windows.find(({ last, lastUnixSeconds }) => last === run.last && lastUnixSeconds !== null);
  return { last: run.last, newestAtUnixSeconds: atEnd?.lastUnixSeconds ?? null };
};
