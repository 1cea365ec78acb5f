import type { Address } from '../../model/address.ts';
import { isUnverifiedToken } from '../../model/asset.ts';
import type { WalletSpan } from '../../model/transfer-reader.ts';
import type { Outcome } from '../decide-hop.ts';
import type { FollowContext } from '../follow-context.ts';
import { type BudgetedRead, unlessUnread } from '../follow-reader.ts';

/** What was taken to have been passed on was swapped, or may have been: only these steps stand. */
export type Swapped = { readonly type: 'swapped'; readonly known: readonly Outcome[] };

/** Whether a wallet of these steps swapped when it was not asked for swaps; null: none did. One read for all that are new. */
export type CheckSwaps = (steps: readonly Outcome[], read: BudgetedRead) => Promise<Swapped | null>;

export const createCheckSwaps = (context: FollowContext): CheckSwaps => {
  const checked = new Set<WalletSpan>();
  return async (steps, read) => {
    const fresh = steps.flatMap(unaskedOf).filter((span) => !checked.has(span));
    if (fresh.length === 0) return null;
    const mayHaveSwapped = await readSwappers(context, fresh, read);
    const swapped = new Set(fresh.filter(({ wallet }) => mayHaveSwapped(wallet)));
    const first = steps.findIndex((step) => unaskedOf(step).some((span) => swapped.has(span)));
    if (first !== -1) return { type: 'swapped', known: steps.slice(0, first) };
    for (const span of fresh) checked.add(span);
    return null;
  };
};

const unaskedOf = (step: Outcome): readonly WalletSpan[] =>
  step.type === 'hop' ? step.swapsUncheckedFor : [];

/** Where the read fails, whoever is asked about may have swapped. */
export const readSwappers = async (
  { request: { chain }, asset: { canonicalAsset } }: FollowContext,
  spans: readonly WalletSpan[],
  read: BudgetedRead,
): Promise<(wallet: Address) => boolean> => {
  const asked = {
    chain: chain.name,
    canonicalAsset,
    ownOnly: isUnverifiedToken(chain, canonicalAsset),
    spans,
  };
  const reading = read((reader, limits) => reader.swappers({ ...asked, ...limits }));
  const swappers = await unlessUnread(reading, null);
  return (wallet) => swappers?.has(wallet) ?? true;
};
