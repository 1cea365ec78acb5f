import { sumOf } from '../../model/amount.ts';
import type { CandidateSet } from '../candidate-set.ts';
import { isMostOf } from '../link-legs.ts';
import type { Search } from '../search.ts';
import type { Tie } from './keep-paid.ts';

/**
 * The same wallet is on both sides of the service: address match, Béres et al. 2021; heuristic 1 of Wu et
 * al., Tutela. Does not hold when the wallet only passed the traced money on, as an unlisted router does for
 * everybody.
 */
export const findSameWallet = (search: Search, { wallet, byWallet }: CandidateSet): Tie[] => {
  const matches = byWallet.get(wallet);
  if (matches === undefined || isHandedOn(search)) return [];
  const detail = 'The same wallet is on both sides.';
  return [[wallet, { family: 'same_wallet', grade: 'strong', detail, proofs: matches.slice(0, 1) }]];
};

/**
 * Whether the wallet received what it paid in (or paid what it took out) in the same transaction, with
 * nothing moving the other way in exchange.
 */
const isHandedOn = ({ request: { wallet, direction }, anchor: { rows, moved } }: Search): boolean => {
  const sides = [...Map.groupBy(rows, ({ canonicalAsset }) => canonicalAsset)].map(([canonicalAsset, of]) => {
    const got = sumOf(of.filter(({ to }) => to === wallet));
    const gave = sumOf(of.filter(({ from }) => from === wallet));
    const amountRaw = moved.find((holding) => holding.canonicalAsset === canonicalAsset)?.amountRaw;
    return direction === 'out'
      ? { amountRaw, here: gave, there: got }
      : { amountRaw, here: got, there: gave };
  });
  const isOfTraced = sides.some(
    ({ amountRaw, there }) => amountRaw !== undefined && isMostOf(there, amountRaw),
  );
  return isOfTraced && sides.every(({ amountRaw, here, there }) => amountRaw !== undefined || here <= there);
};
