import type { Address } from '../../model/address.ts';
import type { Neighbour } from '../../model/trace-reader.ts';
import { compareTransactions } from '../../model/transfer-reader.ts';
import { leastInEarnest } from '../dust.ts';
import type { QueryContext } from '../query-context.ts';
import { findWalletsOf } from '../read-services.ts';
import { COLLECTORS_MAX, findQuiet } from '../resolve-intermediary.ts';
import { POPULAR_ABOVE } from '../rules.ts';
import type { MatchingTransfer, Search } from '../search.ts';

/**
 * Payers of an exchange that are examined, the nearest in time. In a larger crowd a candidate without
 * evidence is a weak lead anyway.
 */
const LOOKED_AT_MAX = 200;
/**
 * Payers of a deposit address that are read. With more than one it is unknown which of them made the deposit.
 */
const PAYERS_MAX = 5;

/**
 * `nameOf` gives the match of the wallet that paid the deposit address, the match itself when it is no
 * deposit address, and null when the payer is unknown.
 */
export type BehindAddresses = {
  readonly nameOf: (match: MatchingTransfer) => MatchingTransfer | null;
  /** Payers that were checked for the few counterparties that a deposit address has. */
  readonly quiet: ReadonlyMap<Address, boolean>;
  /** Whether all were examined. */
  readonly complete: boolean;
};

const NOTHING_BEHIND: BehindAddresses = { nameOf: (match) => match, quiet: new Map(), complete: true };

/**
 * Traced backward, finds the payers of an exchange's unlisted deposit addresses, because only the sweep of
 * each customer is visible. An address counts as one if it only paid busy wallets of the exchange (as in
 * `resolveIntermediary`; Victor 2020) and the exchange never paid it. Queries nothing elsewhere.
 */
export const lookBehindDepositAddresses = async (
  { request, intermediary, anchor }: Search,
  matches: readonly MatchingTransfer[],
  context: QueryContext,
): Promise<BehindAddresses> => {
  if (intermediary.kind !== 'exchange' || request.direction === 'out') return NOTHING_BEHIND;
  const distance = ({ blockTime }: MatchingTransfer): number => Math.abs(blockTime - anchor.timeUnixSeconds);
  const nearest = matches.toSorted((a, b) => distance(a) - distance(b));
  const all = new Set(
    nearest.map(({ counterparty }) => counterparty).filter((one) => one !== request.wallet),
  );
  const looked = new Set([...all].slice(0, LOOKED_AT_MAX));
  const ofLooked = matches.filter(({ counterparty }) => looked.has(counterparty));
  const [payers, { passOn, quiet }] = await Promise.all([
    readPayers(ofLooked, { request, anchor, looked }, context),
    readPassingOn(ofLooked, looked, context),
  ]);
  const whoPaid = (wallet: Address): Address[] =>
    (payers.get(wallet) ?? []).map(({ counterparty }) => counterparty);
  const isOwn = await findWalletsOf(intermediary, [...passOn].flatMap(whoPaid), context);
  const isDepositAddress = (wallet: Address): boolean => passOn.has(wallet) && !whoPaid(wallet).some(isOwn);
  const nameOf = (match: MatchingTransfer): MatchingTransfer | null => {
    if (!isDepositAddress(match.counterparty)) return match;
    const [payer, another] = payers.get(match.counterparty) ?? [];
    if (payer === undefined || another !== undefined || compareTransactions(payer.first, match) > 0)
      return null;
    return { ...match, counterparty: payer.counterparty, via: match.counterparty };
  };
  return { nameOf, quiet, complete: all.size === looked.size };
};

type PayerSearch = Pick<Search, 'request' | 'anchor'> & { readonly looked: ReadonlySet<Address> };

/** Who paid them, without dust, the amounts that they passed on. */
const readPayers = async (
  matches: readonly MatchingTransfer[],
  { request, anchor, looked }: PayerSearch,
  { reads, onChain }: QueryContext,
): Promise<ReadonlyMap<Address, readonly Neighbour[]>> => {
  const canonicalAssets = [...new Set(matches.map(({ canonicalAsset }) => canonicalAsset))];
  const leastRaw = leastInEarnest(request.chain, canonicalAssets, anchor.moved);
  const around = await reads.neighbours(
    { ...onChain, canonicalAssets, leastRaw, perSideMax: PAYERS_MAX },
    [...looked].map((wallet) => ({ wallet, direction: 'in' as const })),
  );
  return Map.groupBy(around.flat(), ({ wallet }) => wallet);
};

/** `passOn`: those that only ever paid busy wallets of the exchange. */
const readPassingOn = async (
  matches: readonly MatchingTransfer[],
  looked: ReadonlySet<Address>,
  context: QueryContext,
) => {
  const entered = [...new Set(matches.map(({ wallet }) => wallet))];
  const { onChain, canonicalAssets, leastRaw } = context;
  const [counts, quiet] = await Promise.all([
    context.reads.counterpartyCounts(
      { ...onChain, canonicalAssets, leastRaw, othersMax: POPULAR_ABOVE },
      [...looked].map((wallet) => ({ wallet, direction: 'out' as const, among: entered })),
    ),
    findQuiet(entered, context),
  ]);
  const paid = counts.filter((count) => count !== null);
  const passing = paid.filter(
    ({ others, met }) =>
      others === met.length &&
      others <= COLLECTORS_MAX &&
      met.every(({ counterparty }) => !quiet.has(counterparty)),
  );
  return {
    passOn: new Set(passing.map(({ wallet }) => wallet)),
    quiet: new Map(entered.map((wallet) => [wallet, quiet.has(wallet)])),
  };
};
