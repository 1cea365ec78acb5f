import { least } from '../../model/amount.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { PartyFlow } from '../../model/profile-reader.ts';

/** A movement with its value at the time in dollars; null when unknown. */
export type WorthFlow = PartyFlow & { readonly usd: number | null };

export type Spent = {
  /**
   * The share of the payment that is known to have come in before. The rest was there before the rows begin.
   */
  readonly covered: number;
  /** The share of all holdings that left. */
  readonly fraction: number;
};

type Holding = { raw: bigint; usdOfRaw: number };

/**
 * A wallet's holdings while its movements are applied in order: exact raw units of each asset, each at its
 * latest price. A swap changes which assets the wallet holds, but not their total value.
 */
export const createHoldings = () => {
  const held = new Map<CanonicalAsset, Holding>();
  const heldOf = (flow: WorthFlow): Holding => {
    const known = held.get(flow.canonicalAsset) ?? { raw: 0n, usdOfRaw: 0 };
    held.set(flow.canonicalAsset, known);
    if (flow.usd !== null) known.usdOfRaw = flow.usd / Number(flow.amountRaw);
    return known;
  };
  const worth = (): number => {
    let sum = 0;
    for (const { raw, usdOfRaw } of held.values()) sum += Number(raw) * usdOfRaw;
    return sum;
  };
  return {
    receive: (flow: WorthFlow): void => {
      heldOf(flow).raw += flow.amountRaw;
    },
    spend: (flow: WorthFlow): Spent => {
      const known = heldOf(flow);
      const before = worth();
      const coveredRaw = least(flow.amountRaw, known.raw);
      known.raw -= coveredRaw;
      return {
        covered: Number(coveredRaw) / Number(flow.amountRaw),
        fraction: before > 0 ? Math.min(1, (flow.usd ?? 0) / before) : 1,
      };
    },
  };
};

/** The same key for a movement, whether it is read from the sender's or from the recipient's history. */
export const flowKey = ({
  blockNumber,
  txIndex,
  index,
}: Pick<PartyFlow, 'blockNumber' | 'txIndex' | 'index'>) => `${blockNumber}/${txIndex}/${index}`;
