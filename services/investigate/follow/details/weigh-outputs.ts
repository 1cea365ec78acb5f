import { toWholeUnits } from '../../model/amount.ts';
import { toCanonicalAsset } from '../../model/asset.ts';
import { type BudgetedRead, isLeftOut } from '../follow-reader.ts';
import { branchesOf, type FoundTrail } from '../trail.ts';
import type { SwapOutput } from '../why.ts';

/** Says what came out of a swap was worth at a unix second. */
export type WeighOutput = <Output extends SwapOutput>(output: Output, timeUnixSeconds: number) => Output;

/** One question for all. A worth is an addition: where prices cannot be read in time, the trail stands without it. */
export const weighOutputs = async (found: FoundTrail, read: BudgetedRead): Promise<WeighOutput> => {
  const moments = momentsOf(found);
  const { chain } = found;
  const known = new Map<string, number>();
  try {
    const asked = { chain, moments };
    const prices =
      moments.length === 0
        ? []
        : await read((_, limits, others) => others.prices.prices({ ...asked, ...limits }));
    for (const [at, { canonicalAsset, timeUnixSeconds }] of moments.entries()) {
      const price = prices[at];
      if (price) known.set(`${timeUnixSeconds} ${canonicalAsset}`, price.usd);
    }
  } catch (error) {
    if (!isLeftOut(error)) throw error;
  }
  return (output, timeUnixSeconds) => {
    const { asset, amountRaw, decimals } = output;
    const usd = known.get(`${timeUnixSeconds} ${toCanonicalAsset(chain, asset)}`);
    if (usd === undefined || amountRaw === null) return output;
    return { ...output, usd: usd * toWholeUnits(amountRaw, decimals) };
  };
};

const momentsOf = ({ chain, hops, end }: FoundTrail) => {
  const ends =
    end.reason === 'dex_swap' ? [{ output: end.output, sinceUnixSeconds: end.timeUnixSeconds }] : [];
  const branches = [...hops.flatMap(({ others }) => others), ...branchesOf(end)];
  return [...ends, ...branches].flatMap(({ output, sinceUnixSeconds: timeUnixSeconds }) =>
    output === null ? [] : [{ canonicalAsset: toCanonicalAsset(chain, output.asset), timeUnixSeconds }],
  );
};
