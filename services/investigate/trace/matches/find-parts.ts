import type { Address } from '../../model/address.ts';
import type { Label } from '../../model/label.ts';
import type { AmountRange } from '../../model/trace-reader.ts';
import type { EvidenceByWallet } from '../candidate-set.ts';
import type { QueryContext } from '../query-context.ts';
import { PART_OF_MAX, PARTS_MAX } from '../rules.ts';
import type { MatchesRead, MatchingTransfer, Search } from '../search.ts';
import type { Holding } from '../trace-answer.ts';
import { amountRange, findKnownOthers, isPossible } from './find-matches.ts';
import { joinPassedOn } from './join-passed-on.ts';
import { readOtherSide } from './read-other-side.ts';

/**
 * Finds parts of the amount at a mixer of free amounts: forward these are smaller withdrawals, backward
 * larger deposits. Nearly all of them match by size, so a part becomes a candidate only when evidence ties
 * its wallet to the traced one. Finds nothing at other services.
 */
export const findParts = async (search: Search, context: QueryContext): Promise<MatchesRead> => {
  const { anchor, intermediary, found } = search;
  const [moved] = anchor.moved;
  if (intermediary.kind !== 'mixer' || found.mode !== 'free' || !anchor.verified || moved === undefined)
    return { rows: [], complete: true };
  const { canonicalAsset } = moved;
  const read = await readOtherSide(
    search,
    { ...partRange(search, moved), canonicalAsset, limit: PARTS_MAX },
    context,
  );
  const passed = read.map((row) => ({ ...row, canonicalAsset, mode: found.mode }));
  const { rows } = joinPassedOn(passed, search);
  return { rows: rows.filter((row) => isPossible(search, row)), complete: read.length < PARTS_MAX };
};

/** From the end of the full matches to this multiple, or fraction, of the amount. */
const partRange = ({ request, intermediary, found }: Search, moved: Holding): AmountRange => {
  const fitting = amountRange(request, { intermediary, found, moved });
  return request.direction === 'out'
    ? { minRaw: moved.amountRaw / PART_OF_MAX + 1n, maxRaw: fitting.minRaw - 1n }
    : { minRaw: fitting.maxRaw + 1n, maxRaw: moved.amountRaw * PART_OF_MAX };
};

type TiedParts = {
  readonly byWallet: ReadonlyMap<Address, readonly MatchingTransfer[]>;
  readonly labels: ReadonlyMap<Address, Label>;
};

/** Wallets of parts that have evidence and are not known as a service. Queries only when there are any. */
export const keepTied = async (
  { intermediary }: Search,
  {
    parts,
    evidence,
  }: { parts: ReadonlyMap<Address, readonly MatchingTransfer[]>; evidence: EvidenceByWallet },
  context: QueryContext,
): Promise<TiedParts> => {
  const tied = [...parts].filter(([wallet]) => evidence.has(wallet));
  if (tied.length === 0) return { byWallet: new Map(), labels: new Map() };
  const known = await findKnownOthers(
    intermediary,
    tied.map(([wallet]) => wallet),
    context,
  );
  const strangers = tied.filter(([wallet]) => !known.others.has(wallet) && !known.own.has(wallet));
  return { byWallet: new Map(strangers), labels: known.labels };
};
