import type { Address } from '../../model/address.ts';
import { isUnverifiedToken } from '../../model/asset.ts';
import type { WalletSpan } from '../../model/transfer-reader.ts';
import { type BudgetedRead, unlessUnread } from '../follow-reader.ts';
import type { Journey } from '../journey.ts';
import type { Outcome } from '../read-wallet.ts';

/** What was taken to have been passed on was swapped, or may have been: only these steps stand. */
export type Swapped = { readonly type: 'swapped'; readonly known: readonly Outcome[] };

/** Whether a wallet of these steps swapped when it was not asked for swaps; null: none did. One read for all that are new. */
export type CheckSwaps = (steps: readonly Outcome[], read: BudgetedRead) => Promise<Swapped | null>;

export const createCheckSwaps = (journey: Journey): CheckSwaps => {
  let checked = 0;
  return async (steps, read) => {
    const { length } = steps;
    const first = await findSwapped(journey, steps.slice(checked), read);
    if (first !== -1) return { type: 'swapped', known: steps.slice(0, checked + first) };
    checked = length;
    return null;
  };
};

const unaskedOf = (step: Outcome) => (step.type === 'hop' ? step.unasked : null);

const findSwapped = async (
  journey: Journey,
  steps: readonly Outcome[],
  read: BudgetedRead,
): Promise<number> => {
  const spans = steps.flatMap((step) => unaskedOf(step) ?? []);
  if (spans.length === 0) return -1;
  const mayHaveSwapped = await readSwappers(journey, spans, read);
  return steps.findIndex((step) => {
    const unasked = unaskedOf(step);
    return unasked !== null && mayHaveSwapped(unasked.wallet);
  });
};

/** Where the read fails, whoever is asked about may have swapped. */
export const readSwappers = async (
  { request: { chain }, asset: { canonicalAsset } }: Journey,
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
