import type { Address } from '../model/address.ts';
import { toWholeUnits } from '../model/amount.ts';
import type { AssetFamily } from '../model/asset.ts';
import type { TransactionRow } from '../model/transfer-reader.ts';
import type { BudgetedRead } from './follow-reader.ts';
import { toAsset } from './journey.ts';
import { readPrices } from './read-evidence.ts';
import { SALE_ASSETS_MAX, SALE_STEPS_MAX, SALE_WORTH_MIN } from './rules.ts';
import type { FollowedAsset, FoundTrail } from './trail.ts';

/** What money was sold for, and who got it: the seller himself only where no swap of his own was found. */
export type Proceeds = { readonly address: Address; readonly asset: FollowedAsset };

/**
 * What a pool paid for the money within the transaction of these rows, through as many pools as it was sold through there; null
 * where it paid nothing else, or nothing worth a sale. A pool never sends a transaction: who does pays tips out of his own.
 * Backward, what it was paid.
 */
export const findProceeds = async (
  found: FoundTrail,
  pool: Address,
  rows: readonly TransactionRow[],
  read: BudgetedRead,
): Promise<Proceeds | null> => {
  if (rows.some(({ sender }) => sender === pool)) return null;
  const sides = sumSides(rows, found.backward);
  const worthOf = createWorth(found, rows[0]?.blockTime ?? 0, read);
  const got = sides.find(({ address, family }) => address === pool && family === found.asset.family);
  const sold = new Set([found.asset.family]);
  let proceeds: Proceeds | null = null;
  let soldUsd: number | null = null;
  for (let seller = pool; sold.size <= SALE_STEPS_MAX; seller = proceeds.address) {
    const paid = sides.filter(
      ({ address, family, netRaw }) => address === seller && !sold.has(family) && netRaw < 0n,
    );
    if (paid.length === 0) return proceeds;
    if (proceeds === null && got !== undefined) soldUsd = (await worthOf(got)).usd;
    const largest = await findLargest(paid, soldUsd, worthOf);
    if (largest === null) return proceeds;
    sold.add(largest.family);
    const ofAsset = sides.filter(({ family }) => family === largest.family);
    proceeds = { asset: largest, address: ofAsset.reduce(gotMore).address };
  }
  return proceeds;
};

type Side = { readonly address: Address; readonly family: AssetFamily; netRaw: bigint };

/** What each address got on balance; backward, what it gave. */
const sumSides = (rows: readonly TransactionRow[], backward: boolean): Side[] => {
  const sides = new Map<string, Side>();
  const add = (address: Address, family: AssetFamily, amountRaw: bigint): void => {
    const key = `${family} ${address}`;
    const side = sides.get(key) ?? { address, family, netRaw: 0n };
    side.netRaw += backward ? -amountRaw : amountRaw;
    sides.set(key, side);
  };
  for (const { from, to, family, amountRaw } of rows) {
    add(to, family, amountRaw);
    add(from, family, -amountRaw);
  }
  // The order of rows within a transaction proves nothing.
  return [...sides.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

const keyOf = ({ family, address }: Side): string => `${family} ${address}`;

const gotMore = (most: Side, side: Side): Side => (side.netRaw > most.netRaw ? side : most);

type Worth = FollowedAsset & { readonly usd: number | null };
type WorthOf = (side: Side) => Promise<Worth>;

/** Dollars of what a side got or gave, at that second; null where no price is known or could be read. */
const createWorth =
  ({ chain }: FoundTrail, blockTime: number, read: BudgetedRead): WorthOf =>
  async ({ family, netRaw }) => {
    const position = { blockTime, blockNumber: 0, txIndex: 0 };
    const asset = await toAsset(chain, family, read);
    const price = (await readPrices({ chain, asset }, [position], read)).get(blockTime) ?? null;
    const amountRaw = netRaw < 0n ? -netRaw : netRaw;
    return { ...asset, usd: price && price.usd * toWholeUnits(amountRaw, asset.decimals) };
  };

/** Of what a pool paid what is worth most, and may have been paid for what was sold. */
const findLargest = async (
  paid: readonly Side[],
  soldUsd: number | null,
  worthOf: WorthOf,
): Promise<Worth | null> => {
  const worths = await Promise.all(paid.slice(0, SALE_ASSETS_MAX).map(worthOf));
  const least = soldUsd === null ? 0 : soldUsd * SALE_WORTH_MIN;
  const [largest] = worths
    .filter(({ usd }) => usd === null || usd >= least)
    .toSorted((a, b) => (b.usd ?? -1) - (a.usd ?? -1));
  return largest ?? null;
};
