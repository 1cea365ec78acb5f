import type { Address } from '../../model/address.ts';
import { type Direction, type Neighbour, opposite, type WalletSide } from '../../model/trace-reader.ts';
import type { QueryContext } from '../query-context.ts';
import { BUSINESS_ABOVE } from '../rules.ts';
import type { PaidTie } from './keep-paid.ts';

/**
 * Filters ties for wallets that are an unlisted business. Such a wallet is tied only to its first payer. A
 * go-between with as many counterparties on its other side is not private. Queries only when there are ties.
 */
export const judgeBusiness = async (
  ties: readonly PaidTie[],
  { reads, onChain, canonicalAssets, leastRaw }: QueryContext,
): Promise<(tie: PaidTie) => PaidTie | null> => {
  const sides = new Map(
    ties.flatMap((tie) => [sideOf(tie), ...otherSideOf(tie)]).map((side) => [keyOf(side), side]),
  );
  const asked = { ...onChain, canonicalAssets, leastRaw, perSideMax: BUSINESS_ABOVE + 1 };
  const known = await reads.neighbours(asked, [...sides.values()]);
  const bySide = new Map([...sides.keys()].map((key, at) => [key, known[at] ?? []]));
  const isBusy = (side: WalletSide): boolean => (bySide.get(keyOf(side))?.length ?? 0) > BUSINESS_ABOVE;
  return (tie) => {
    const side = sideOf(tie);
    if (isBusy(side) && !isFirstPaid(tie, bySide.get(keyOf(side)) ?? [])) return null;
    const isKnownToMany = otherSideOf(tie).some(isBusy);
    return isKnownToMany ? { ...tie, evidence: { ...tie.evidence, grade: 'plain' } } : tie;
  };
};

const keyOf = ({ wallet, direction }: WalletSide): string => `${wallet} ${direction}`;

/** The side on which the candidate dealt with the traced wallet, or with the go-between. */
const sideOf = ({ wallet, payments }: PaidTie): WalletSide => ({
  wallet,
  direction: directionOf(wallet, payments),
});

/** The side of the go-between on which it dealt with neither of the two. */
const otherSideOf = ({ between, payments }: PaidTie): readonly WalletSide[] =>
  between === undefined ? [] : [{ wallet: between, direction: opposite(directionOf(between, payments)) }];

const directionOf = (wallet: Address, payments: PaidTie['payments']): Direction =>
  payments.some(({ payer }) => payer === wallet) ? 'out' : 'in';

/** Whether the payer of the candidate in this tie was also its first payer. */
const isFirstPaid = ({ wallet, payments }: PaidTie, [first]: readonly Neighbour[]): boolean =>
  payments.some(({ payer, payee }) => payee === wallet && payer === first?.counterparty);
