import type { Address } from '../../model/address.ts';
import type { Ask } from '../ask.ts';
import { findQuiet } from '../resolve-middle.ts';
import { POPULAR_ABOVE } from '../rules.ts';
import type { Fit, Search } from '../search.ts';

/** The counterparty where it only passes on to the exchange behind it, listed or not. Whoever pays many fits passes on nothing. */
export const findDepositAddress = async (
  { request: { counterparty }, middle: { kind, depositAddress } }: Pick<Search, 'request' | 'middle'>,
  fits: readonly Fit[],
  ask: Ask,
): Promise<Address | null> => {
  if (kind !== 'exchange' || depositAddress !== null) return depositAddress;
  const payees = fits.filter(({ wallet }) => wallet === counterparty).map((fit) => fit.counterparty);
  if (new Set(payees).size > POPULAR_ABOVE) return null;
  return (await findQuiet([counterparty], ask)).has(counterparty) ? counterparty : null;
};
