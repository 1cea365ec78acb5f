import type { Destination, SwapDestination, WalletDestination } from './payments/group-destinations.ts';
import { MAJORITY_PARTS, MOVED_ON_MIN_PARTS, PARTS, SPLIT_MIN_PARTS } from './rules.ts';

export type Step =
  | { readonly type: 'rest' }
  | { readonly type: 'split' }
  | { readonly type: 'hop'; readonly to: WalletDestination }
  | { readonly type: 'swap'; readonly into: SwapDestination };

/** What the main stream did at a wallet. `destinations` are largest first; amounts are raw units. */
export const classifyOutflows = (
  arrivedRaw: bigint,
  leftRaw: bigint,
  destinations: readonly Destination[],
): Step => {
  const [largest] = destinations;
  if (largest === undefined || leftRaw * PARTS < arrivedRaw * MOVED_ON_MIN_PARTS) return { type: 'rest' };
  if (isMain(largest, leftRaw)) {
    return largest.type === 'swap' ? { type: 'swap', into: largest } : { type: 'hop', to: largest };
  }
  return leftRaw * PARTS >= arrivedRaw * SPLIT_MIN_PARTS ? { type: 'split' } : { type: 'rest' };
};

/** Whether no other destination can have got more of what left. */
export const isMain = ({ amountRaw }: Destination, leftRaw: bigint): boolean =>
  amountRaw * PARTS >= leftRaw * MAJORITY_PARTS;
