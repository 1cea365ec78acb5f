import type { Chain } from '../investigate/model/chain.ts';

/** Whether prices of what is indexed are still to be derived. Read at each call. */
export type ArePricesPending = () => boolean;

/** What `meta` says besides how far the index reaches. */
export const presentBasis = (chain: Chain, arePricesPending: ArePricesPending) => ({
  prices: arePricesPending() ? ('pending' as const) : ('ready' as const),
  explorer: presentExplorer(chain),
});

export const presentExplorer = ({ explorer }: Chain) => ({
  address: `${explorer.address}{address}`,
  transaction: `${explorer.transaction}{hash}`,
});
