import type { Address } from '../../model/address.ts';
import type { Label } from '../../model/label.ts';
import type { AmountRange } from '../../model/trace-reader.ts';
import type { Ask } from '../ask.ts';
import { PART_OF_MAX, PARTS_MAX } from '../rules.ts';
import type { Fit, FitsRead, Search } from '../search.ts';
import type { EvidenceByWallet } from '../suspects.ts';
import type { Holding } from '../trace-answer.ts';
import { amountRange, findKnownOthers, isPossible } from './find-fits.ts';
import { joinPassedOn } from './join-passed-on.ts';
import { readOtherSide } from './read-other-side.ts';

/**
 * What comes out of a mixer of free amounts may be a part of what went in: forward these are the smaller withdrawals, backward
 * the larger deposits. Nearly all of them could be, so that a part is a candidate only where evidence ties its wallet to the
 * traced one. Nothing at other services.
 */
export const findParts = async (search: Search, ask: Ask): Promise<FitsRead> => {
  const { anchor, middle, found } = search;
  const [moved] = anchor.moved;
  if (middle.kind !== 'mixer' || found.mode !== 'free' || !anchor.verified || moved === undefined)
    return { rows: [], complete: true };
  const { canonicalAsset } = moved;
  const read = await readOtherSide(
    search,
    { ...partRange(search, moved), canonicalAsset, limit: PARTS_MAX },
    ask,
  );
  const passed = read.map((row) => ({ ...row, canonicalAsset, mode: found.mode }));
  const { rows } = joinPassedOn(passed, search);
  return { rows: rows.filter((row) => isPossible(search, row)), complete: read.length < PARTS_MAX };
};

/** From where fits end to so many times as much, or as little. */
const partRange = ({ request, middle, found }: Search, moved: Holding): AmountRange => {
  const fitting = amountRange(request, { middle, found, moved });
  return request.direction === 'out'
    ? { minRaw: moved.amountRaw / PART_OF_MAX + 1n, maxRaw: fitting.minRaw - 1n }
    : { minRaw: fitting.maxRaw + 1n, maxRaw: moved.amountRaw * PART_OF_MAX };
};

type TiedParts = {
  readonly byWallet: ReadonlyMap<Address, readonly Fit[]>;
  readonly labels: ReadonlyMap<Address, Label>;
};

/** Of the parts' wallets those that evidence was found of and that are nobody known. Asks only where there are any. */
export const keepTied = async (
  { middle }: Search,
  { parts, evidence }: { parts: ReadonlyMap<Address, readonly Fit[]>; evidence: EvidenceByWallet },
  ask: Ask,
): Promise<TiedParts> => {
  const tied = [...parts].filter(([wallet]) => evidence.has(wallet));
  if (tied.length === 0) return { byWallet: new Map(), labels: new Map() };
  const known = await findKnownOthers(
    middle,
    tied.map(([wallet]) => wallet),
    ask,
  );
  const strangers = tied.filter(([wallet]) => !known.others.has(wallet) && !known.own.has(wallet));
  return { byWallet: new Map(strangers), labels: known.labels };
};
