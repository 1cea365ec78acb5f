import { toWholeUnits } from '../model/amount.ts';
import { ReadFailedError, type TransactionPosition } from '../model/transfer-reader.ts';
import { endAtSale, readCarriers } from './find-sale.ts';
import type { BudgetedRead } from './follow-reader.ts';
import type { Branch, FoundBranch, FoundHop, FoundTrail, Hop, Trail, TrailEnd } from './trail.ts';

type Evidence = {
  readonly sign: (position: TransactionPosition) => string;
  readonly worth: (carried: Carried) => Worth;
};
type Worth = Pick<Hop, 'usd' | 'usdSource'>;
type Carried = { readonly signature: TransactionPosition; readonly amountRaw: bigint };

/**
 * Names the transactions of a trail by their hashes, says what they were worth, and ends it where one of them sold the money:
 * one read each for all of them, at once.
 * Throws `ReadFailedError` where hashes cannot be read, `BudgetSpentError` where it took too long.
 */
export const signTrail = async (found: FoundTrail, read: BudgetedRead): Promise<Trail> => {
  const carried = [...found.hops.flatMap((hop) => [hop, ...hop.others]), ...branchesOf(found)];
  const swapped = found.end.reason === 'dex_swap' ? [found.end.signature] : [];
  const positions = [...carried.map(({ signature }) => signature), ...swapped];
  if (positions.length === 0) return withEvidence(found, NO_EVIDENCE);
  const [sign, worth, rows] = await Promise.all([
    readHashes(found, positions, read),
    readWorth(found, carried, read),
    readCarriers(found, read),
  ]);
  return withEvidence(await endAtSale(found, rows, read), { sign, worth });
};

const branchesOf = ({ end }: FoundTrail): readonly FoundBranch[] =>
  end.reason === 'split' ? end.branches : [];

const refuseUnknown = (): never => {
  // Its tables are being rebuilt or its block was just retracted: asked again, the trail is another.
  throw new ReadFailedError('unavailable');
};
const NO_EVIDENCE: Evidence = { sign: refuseUnknown, worth: refuseUnknown };

const readHashes = async (
  { chain }: FoundTrail,
  positions: readonly TransactionPosition[],
  read: BudgetedRead,
): Promise<Evidence['sign']> => {
  const hashes = await read((reader, limits) =>
    reader.transactionHashes({ chain: chain.name, positions, ...limits }),
  );
  const hashAt = new Map(positions.map((position, at) => [position, hashes[at]]));
  return (position) => hashAt.get(position) ?? refuseUnknown();
};

/** A worth is an addition: where prices cannot be read, the trail stands without it. */
const readWorth = async (
  { chain, asset }: FoundTrail,
  carried: readonly Carried[],
  read: BudgetedRead,
): Promise<Evidence['worth']> => {
  const moments = carried.map(({ signature }) => ({
    family: asset.family,
    timeUnixSeconds: signature.blockTime,
  }));
  const prices = await read((_, limits, { prices: reader }) =>
    reader.prices({ chain, moments, ...limits }),
  ).catch((error: unknown) => {
    if (error instanceof ReadFailedError && error.code !== 'aborted') return [];
    throw error;
  });
  const priceOf = new Map(carried.map((item, at) => [item, prices[at]]));
  return (item) => {
    const price = priceOf.get(item);
    const usd = price ? price.usd * toWholeUnits(item.amountRaw, asset.decimals) : null;
    return { usd, usdSource: price?.source ?? null };
  };
};

const withEvidence = (found: FoundTrail, { sign, worth }: Evidence): Trail => {
  const showBranch = (branch: FoundBranch): Branch => ({
    ...branch,
    signature: sign(branch.signature),
    ...worth(branch),
  });
  const showHop = (hop: FoundHop): Hop => ({
    ...hop,
    signature: sign(hop.signature),
    ...worth(hop),
    others: hop.others.map(showBranch),
  });
  const showEnd = (): TrailEnd => {
    const { end } = found;
    if (end.reason === 'split') return { ...end, branches: end.branches.map(showBranch) };
    return end.reason === 'dex_swap' ? { ...end, signature: sign(end.signature) } : end;
  };
  return { ...found, hops: found.hops.map(showHop), end: showEnd() };
};
