import type { Address } from '../model/address.ts';
import type { AssetFamily } from '../model/asset.ts';
import { passingKind } from '../model/label.ts';
import { compareTransactions, type TransactionRow } from '../model/transfer-reader.ts';
import { describeEnd } from './describe-end.ts';
import type { BudgetedRead } from './follow-reader.ts';
import { toAsset } from './journey.ts';
import { SALE_STEPS_MAX } from './rules.ts';
import type { FollowedAsset, FoundHop, FoundTrail } from './trail.ts';

/**
 * Ends a trail where the money was sold: whom a hop reached paid another asset in the very transaction that brought it, and
 * what left there later is somebody else's. The proceeds went to whom the payments of that transaction lead, which is the
 * seller himself only where no swap of his own was found. Backward, the money was got in that way.
 */
export const endAtSale = async (
  found: FoundTrail,
  rows: readonly TransactionRow[],
  read: BudgetedRead,
): Promise<FoundTrail> => {
  for (const [at, hop] of found.hops.entries()) {
    const kind = hop.toLabel && passingKind(hop.toLabel);
    if (kind === 'exchange' || kind === 'bridge' || kind === 'mixer') return found;
    const ofHop = rows.filter((row) => compareTransactions(row, hop.signature) === 0);
    const proceeds = findProceeds(found, hop.to, ofHop);
    if (proceeds === null) continue;
    const output = await toAsset(found.chain, proceeds.asset, read);
    return cutAt(found, { hop, at, address: proceeds.address, output });
  }
  return found;
};

type Proceeds = { readonly asset: AssetFamily; readonly address: Address };

/** Through as many pools as the money was sold through within that transaction. */
const findProceeds = (
  { asset: { family }, backward }: FoundTrail,
  pool: Address,
  rows: readonly TransactionRow[],
): Proceeds | null => {
  const balances = Map.groupBy(sumSides(rows, backward), ({ family: of }) => of);
  let proceeds: Proceeds | null = null;
  const sold = new Set([family]);
  for (let seller = pool; sold.size <= SALE_STEPS_MAX; seller = proceeds.address) {
    const [asset, sides] =
      [...balances].find(
        ([of, all]) => !sold.has(of) && all.some(({ address, netRaw }) => address === seller && netRaw < 0n),
      ) ?? [];
    if (asset === undefined || sides === undefined) return proceeds;
    sold.add(asset);
    proceeds = {
      asset,
      address: sides.reduce((most, side) => (side.netRaw > most.netRaw ? side : most)).address,
    };
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
  return [...sides.values()];
};

type Sale = {
  readonly hop: FoundHop;
  readonly at: number;
  /** Who got the proceeds, and what they are. */
  readonly address: Address;
  readonly output: FollowedAsset;
};

const cutAt = (found: FoundTrail, { hop, at, address, output }: Sale): FoundTrail => {
  const { family: asset, symbol, decimals } = output;
  return {
    ...found,
    hops: found.hops.slice(0, at),
    end: {
      reason: 'dex_swap',
      address,
      detail: describeEnd(found, found.asset).sold(hop, address, symbol ?? asset),
      output: { asset, symbol, decimals },
      signature: hop.signature,
      timeUnixSeconds: hop.timeUnixSeconds,
    },
  };
};
