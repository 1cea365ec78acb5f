import type { Address } from '../../model/address.ts';
import type { QueryContext } from '../query-context.ts';
import { findQuiet } from '../resolve-intermediary.ts';
import { POPULAR_ABOVE } from '../rules.ts';
import type { MatchingTransfer, Search } from '../search.ts';

/**
 * The counterparty, if it is a deposit address, which only pays the exchange behind it. An address that pays
 * many of the matches is none.
 */
export const findDepositAddress = async (
  {
    request: { counterparty },
    intermediary: { kind, depositAddress },
  }: Pick<Search, 'request' | 'intermediary'>,
  matches: readonly MatchingTransfer[],
  context: QueryContext,
): Promise<Address | null> => {
  if (kind !== 'exchange' || depositAddress !== null) return depositAddress;
  const payees = matches.filter(({ wallet }) => wallet === counterparty).map((match) => match.counterparty);
  if (new Set(payees).size > POPULAR_ABOVE) return null;
  return (await findQuiet([counterparty], context)).has(counterparty) ? counterparty : null;
};
