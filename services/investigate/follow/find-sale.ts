import { passingKind } from '../model/label.ts';
import { compareTransactions, type TransactionRow } from '../model/transfer-reader.ts';
import { describeEnd } from './describe-end.ts';
import { findProceeds, type Proceeds } from './find-proceeds.ts';
import type { BudgetedRead } from './follow-reader.ts';
import type { FoundHop, FoundTrail } from './trail.ts';

/**
 * Ends a trail where the money was sold: whom a hop reached paid another asset in the very transaction that brought it, and
 * what left there later is somebody else's. Backward, the money was got in that way.
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
    const proceeds = await findProceeds(found, hop.to, ofHop, read);
    if (proceeds !== null) return cutAt(found, { hop, at, ...proceeds });
  }
  return found;
};

type Sale = Proceeds & { readonly hop: FoundHop; readonly at: number };

const cutAt = (found: FoundTrail, { hop, at, address, asset: sold }: Sale): FoundTrail => {
  const { family: asset, symbol, decimals } = sold;
  const output = { asset, symbol, decimals };
  return {
    ...found,
    hops: found.hops.slice(0, at),
    end: {
      reason: 'dex_swap',
      address,
      detail: describeEnd(found, found.asset).sold(hop, address, output),
      output,
      signature: hop.signature,
      timeUnixSeconds: hop.sinceUnixSeconds,
      others: hop.others,
    },
  };
};
