import { larger, largestFirst, sumOf } from '../../model/amount.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { Inflow } from '../payments/inflow.ts';
import { OTHERS_MAX } from '../rules.ts';
import type { Got } from '../swap-output.ts';
import type { FoundBranch, FoundHop, FoundTrail } from '../trail.ts';
import type { Proceeds } from './find-proceeds.ts';

/** One transaction of a hop, and what was got for the money there; null: it was not sold. */
export type Told = { readonly carrier: Inflow; readonly proceeds: Proceeds | null };

/** A hop that was a sale, told by these of its transactions, in the trail's order. At least one is a sale. */
export type Sale = { readonly hop: FoundHop; readonly at: number; readonly told: readonly Told[] };

type SoldBranch = FoundBranch & { readonly output: Got };

/**
 * The trail up to the hop. It ends with who got most of the proceeds; whoever else got some, or another asset, and what was not
 * sold stand beside that.
 */
export const endWithSale = (found: FoundTrail, { hop, at, told }: Sale): FoundTrail => {
  const looked = new Set(told.map(({ carrier }) => transactionKey(carrier))).size;
  const all = hop.carriers.length;
  const branches = [...Map.groupBy(told, keyOf).values()].flatMap((of) => toBranch(hop, of));
  const sold = branches
    .filter(isSold)
    .map((branch) => (looked < all ? toldInPart(hop, branch) : branch))
    .sort(largestFirst);
  const unsold = branches.filter((branch) => !isSold(branch));
  const [main, ...besides] = sold;
  if (main === undefined) return found;
  const soldRaw =
    looked < all ? sumOf(sold) : unsold.reduce((left, { amountRaw }) => left - amountRaw, hop.amountRaw);
  const { recipient: address, ...output } = main.output;
  return {
    ...found,
    hops: found.hops.slice(0, at),
    end: {
      reason: 'dex_swap',
      address,
      why: { type: 'sold', from: hop.from, to: hop.to, amountRaw: soldRaw, streams: sold },
      caveats:
        looked < all ? [{ type: 'sales_looked_at', count: looked, all, amountRaw: hop.amountRaw }] : [],
      output,
      signature: main.signature,
      timeUnixSeconds: main.sinceUnixSeconds,
      others: [...hop.others, ...besides, ...unsold].sort(largestFirst).slice(0, OTHERS_MAX),
    },
  };
};

/** Of what was not looked at an earlier payment may be a sale too, and more was got than is known. */
const toldInPart = ({ sinceUnixSeconds }: FoundHop, branch: SoldBranch): SoldBranch => ({
  ...branch,
  sinceUnixSeconds,
  output: { ...branch.output, amountRaw: null },
});

const isSold = (branch: FoundBranch): branch is SoldBranch => branch.output !== null;

const keyOf = ({ proceeds }: Told): string | null =>
  proceeds && `${proceeds.asset.canonicalAsset} ${proceeds.address}`;

/** What was paid to the same wallet for one asset that one recipient got, or was not sold there. */
const toBranch = ({ from, to, toLabel }: FoundHop, [first, ...rest]: readonly Told[]): FoundBranch[] => {
  if (first === undefined) return [];
  const all = [first, ...rest];
  const carriers = all.map(({ carrier }) => carrier);
  const gotRaw = all.reduce((sum, { proceeds }) => sum + (proceeds?.gotRaw ?? 0n), 0n);
  return [
    {
      ...{ from, to, toLabel, amountRaw: sumOf(carriers) },
      signature: carriers.reduce(larger),
      sinceUnixSeconds: first.carrier.blockTime,
      output: first.proceeds && toGot(first.proceeds, gotRaw),
    },
  ];
};

const toGot = (
  { address: recipient, asset: { canonicalAsset, symbol, decimals } }: Proceeds,
  amountRaw: bigint,
): Got => ({ ...{ asset: canonicalAsset, symbol, decimals, amountRaw, usd: null }, recipient });
