import type { Address } from '../../model/address.ts';
import { isUnverifiedToken } from '../../model/asset.ts';
import { isService } from '../../model/label.ts';
import type { WalletSpan } from '../../model/transfer-reader.ts';
import type { Outcome } from '../decide-hop.ts';
import type { FollowContext } from '../follow-context.ts';
import { type BudgetedRead, unlessUnread } from '../follow-reader.ts';
import { findSale, type Sale } from '../sales/find-sale.ts';
import type { FoundHop } from '../trail.ts';

/** What many wallets are asked at once. */
export type StepChecks = {
  /**
   * The first step of a wallet that swapped, or may have, when it was not asked for swaps: it does not stand, nor what follows.
   * null: there is none.
   */
  readonly findSwapped: (steps: readonly Outcome[], read: BudgetedRead) => Promise<number | null>;
  /** The first hop that was a sale: no other stands behind it. */
  readonly findSale: (hops: readonly FoundHop[], read: BudgetedRead) => Promise<Sale | null>;
};

/** One read for all that were not asked about before. */
export const createStepChecks = (context: FollowContext): StepChecks => {
  const checked = new Set<WalletSpan | FoundHop>();
  const isNew = (one: WalletSpan | FoundHop): boolean => !checked.has(one);
  return {
    findSwapped: async (steps, read) => {
      const fresh = steps.flatMap(unaskedOf).filter(isNew);
      if (fresh.length === 0) return null;
      const mayHaveSwapped = await readSwappers(context, fresh, read);
      const swapped = new Set(fresh.filter(({ wallet }) => mayHaveSwapped(wallet)));
      const first = steps.findIndex((step) => unaskedOf(step).some((span) => swapped.has(span)));
      if (first !== -1) return first;
      for (const span of fresh) checked.add(span);
      return null;
    },
    findSale: async (hops, read) => {
      // What a service pays out is another customer's.
      const fresh = hops.filter((hop) => isNew(hop) && !isService(hop.toLabel));
      if (fresh.length === 0) return null;
      const sale = await findSale(context, fresh, read);
      if (sale === null) for (const hop of fresh) checked.add(hop);
      return sale;
    },
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
