import type { Address } from '../../model/address.ts';
import type { Neighbour } from '../../model/trace-reader.ts';
import { compareTransactions } from '../../model/transfer-reader.ts';
import type { Ask } from '../ask.ts';
import { leastInEarnest } from '../dust.ts';
import { findWalletsOf } from '../read-services.ts';
import { COLLECTORS_MAX, findQuiet } from '../resolve-middle.ts';
import { POPULAR_ABOVE } from '../rules.ts';
import type { Fit, Search } from '../search.ts';

/** Payers of an exchange that are looked at, the nearest in time: of a larger crowd none without evidence is much of a lead. */
const LOOKED_AT_MAX = 200;
/** Who paid a deposit address: more than one is too many to say who of them it was. */
const PAYERS_MAX = 5;

/** `nameOf` gives the fit of whoever paid the deposit address, itself where it is none, and null where that is not known. */
export type BehindAddresses = {
  readonly nameOf: (fit: Fit) => Fit | null;
  /** Of the exchange's wallets that were asked about whether they deal with few others, as deposit addresses do. */
  readonly quiet: ReadonlyMap<Address, boolean>;
  /** All were looked at. */
  readonly complete: boolean;
};

const NOTHING_BEHIND: BehindAddresses = { nameOf: (fit) => fit, quiet: new Map(), complete: true };

/**
 * Backward, who paid the deposit addresses of an exchange that no list knows: of each customer's first sweep they are all that is
 * seen. As `resolveMiddle` has it (Victor 2020), an address that only paid busy wallets of the exchange is one; not where the exchange paid
 * it, too, as it pays customers. Asks nothing elsewhere.
 */
export const lookBehindDepositAddresses = async (
  { request, middle, anchor }: Search,
  fits: readonly Fit[],
  ask: Ask,
): Promise<BehindAddresses> => {
  if (middle.kind !== 'exchange' || request.direction === 'out') return NOTHING_BEHIND;
  const distance = ({ blockTime }: Fit): number => Math.abs(blockTime - anchor.timeUnixSeconds);
  const nearest = fits.toSorted((a, b) => distance(a) - distance(b));
  const all = new Set(
    nearest.map(({ counterparty }) => counterparty).filter((one) => one !== request.wallet),
  );
  const looked = new Set([...all].slice(0, LOOKED_AT_MAX));
  const ofLooked = fits.filter(({ counterparty }) => looked.has(counterparty));
  const [payers, { passOn, quiet }] = await Promise.all([
    readPayers(ofLooked, { request, anchor, looked }, ask),
    readPassingOn(ofLooked, looked, ask),
  ]);
  const whoPaid = (wallet: Address): Address[] =>
    (payers.get(wallet) ?? []).map(({ counterparty }) => counterparty);
  const isOwn = await findWalletsOf(middle, [...passOn].flatMap(whoPaid), ask);
  const isDepositAddress = (wallet: Address): boolean => passOn.has(wallet) && !whoPaid(wallet).some(isOwn);
  const nameOf = (fit: Fit): Fit | null => {
    if (!isDepositAddress(fit.counterparty)) return fit;
    const [payer, another] = payers.get(fit.counterparty) ?? [];
    if (payer === undefined || another !== undefined || compareTransactions(payer.first, fit) > 0)
      return null;
    return { ...fit, counterparty: payer.counterparty, via: fit.counterparty };
  };
  return { nameOf, quiet, complete: all.size === looked.size };
};

type Looking = Pick<Search, 'request' | 'anchor'> & { readonly looked: ReadonlySet<Address> };

/** Who paid them in earnest what they passed on. */
const readPayers = async (
  fits: readonly Fit[],
  { request, anchor, looked }: Looking,
  { reader, limits }: Ask,
): Promise<ReadonlyMap<Address, readonly Neighbour[]>> => {
  const canonicalAssets = [...new Set(fits.map(({ canonicalAsset }) => canonicalAsset))];
  const around = await reader.neighbours({
    ...{ ...limits, canonicalAssets, leastRaw: leastInEarnest(request.chain, canonicalAssets, anchor.moved) },
    ...{ sides: [...looked].map((wallet) => ({ wallet, direction: 'in' as const })), perSideMax: PAYERS_MAX },
  });
  return Map.groupBy(around, ({ wallet }) => wallet);
};

/** `passOn`: those of them who never paid anybody but busy wallets of the exchange. */
const readPassingOn = async (fits: readonly Fit[], looked: ReadonlySet<Address>, ask: Ask) => {
  const entered = [...new Set(fits.map(({ wallet }) => wallet))];
  const [paid, quiet] = await Promise.all([
    ask.reader.circles({
      ...{ ...ask.limits, canonicalAssets: ask.canonicalAssets, leastRaw: ask.leastRaw },
      ...{ among: entered, othersMax: POPULAR_ABOVE },
      sides: [...looked].map((wallet) => ({ wallet, direction: 'out' as const })),
    }),
    findQuiet(entered, ask),
  ]);
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
