import type { Address } from '../../model/address.ts';
import { abs } from '../../model/amount.ts';
import { type CanonicalAsset, isListed, isUnverifiedToken, toCanonicalAsset } from '../../model/asset.ts';
import {
  type FlowPage,
  type SwapFlow,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import type { FlowsAsked } from '../../session/flow-pages.ts';
import { type FlowSide, FORWARD } from '../direction.ts';
import type { FollowContext } from '../follow-context.ts';
import { readTransactions } from '../read-transactions.ts';
import { mayBePaidFor, readWeights, sumSides } from '../sales/weigh-sides.ts';

type Asked = Omit<FlowsAsked, 'chain' | 'canonicalAsset' | 'ownOnly'>;
type Reading = Pick<FollowContext, 'request' | 'asset' | 'reads' | 'readPage'>;

/**
 * A page of what left a wallet, or arrived in it, of the followed asset. It leaves out swaps that others only make look like swaps of
 * this wallet: a thief who takes by allowance, or as a delegate, can send any token, or dust of a true one, back within the transaction.
 * A swap in somebody else's transaction counts where what was got is worth it. That must be known of a token that may log falsely, and of
 * any unlisted token where a delegate took what was given, since anybody can make one.
 */
export const readFlows = async (reading: Reading, side: FlowSide, asked: Asked): Promise<FlowPage> => {
  const { chain } = reading.request;
  const { canonicalAsset } = reading.asset;
  const ownOnly = isUnverifiedToken(chain, canonicalAsset);
  const ask = (own: boolean): Promise<FlowPage> =>
    reading.readPage(side, { ...asked, chain: chain.name, canonicalAsset, ownOnly: own });
  const page = await ask(ownOnly);
  if (ownOnly || swapsOf(page).length === 0) return page;
  // They are among all, in the same order: as many reach at least as far.
  const own = new Set(swapsOf(await ask(true)).map(transactionKey));
  const others = swapsOf(page).filter((swap) => !own.has(transactionKey(swap)));
  if (others.length === 0) return page;
  const unpaid = await findUnpaid(reading, { wallet: asked.wallet, side }, others);
  return { ...page, rows: page.rows.filter((row) => row.type !== 'swap' || !unpaid.has(row)) };
};

const swapsOf = ({ rows }: FlowPage): SwapFlow[] => rows.flatMap((row) => (row.type === 'swap' ? [row] : []));

/** The swaps in others' transactions that do not count. */
const findUnpaid = async (
  { request: { chain }, asset, reads }: Reading,
  { wallet, side }: { readonly wallet: Address; readonly side: FlowSide },
  swaps: readonly SwapFlow[],
): Promise<ReadonlySet<SwapFlow>> => {
  const { rows, unread } = await readTransactions(chain, swaps, reads);
  const netRaws = new Map([...rows].map(([key, of]) => [key, netRawsOf(wallet, of)] as const));
  const moments = swaps.flatMap(({ blockTime: timeUnixSeconds, otherAsset }) => [
    { canonicalAsset: asset.canonicalAsset, timeUnixSeconds },
    { canonicalAsset: toCanonicalAsset(chain, otherAsset), timeUnixSeconds },
  ]);
  const weigh = await readWeights(chain, moments, reads);
  const isPaid = (swap: SwapFlow): boolean => {
    const { amountRaw, blockTime: timeUnixSeconds } = swap;
    const canonicalAsset = toCanonicalAsset(chain, swap.otherAsset);
    const key = transactionKey(swap);
    const gave = { wallet, canonicalAsset: side === 'departures' ? asset.canonicalAsset : canonicalAsset };
    const isTaken = isTakenByDelegate(rows.get(key) ?? [], gave);
    // A transaction that could not be read is not believed either.
    const isMadeUp = unread.has(key) || isUnverifiedToken(chain, canonicalAsset);
    const isBelieved = !isMadeUp && (isListed(chain, canonicalAsset) || !isTaken);
    const { usd } = weigh({ canonicalAsset: asset.canonicalAsset, timeUnixSeconds, amountRaw });
    // Issued and burnt amounts have no row here.
    const netRaw = netRaws.get(key)?.get(canonicalAsset);
    if (netRaw === undefined) return mayBePaidFor(null, usd, { isBelieved });
    const other = weigh({ canonicalAsset, timeUnixSeconds, amountRaw: abs(netRaw) });
    return mayBePaidFor(other.usd, usd, { isBelieved });
  };
  return new Set(swaps.filter((swap) => !isPaid(swap)));
};

/** Whether what the wallet gave left without its own signature. */
const isTakenByDelegate = (
  rows: readonly TransactionRow[],
  { wallet, canonicalAsset }: { readonly wallet: Address; readonly canonicalAsset: CanonicalAsset },
): boolean => {
  const given = rows.filter((row) => row.from === wallet && row.canonicalAsset === canonicalAsset);
  return given.length > 0 && given.every(({ authority }) => authority !== null);
};

/** By asset: one transaction may hold a swap into each of a thousand. */
const netRawsOf = (wallet: Address, rows: readonly TransactionRow[]): ReadonlyMap<CanonicalAsset, bigint> => {
  const own = sumSides(rows, FORWARD).filter(({ address }) => address === wallet);
  return new Map(own.map(({ canonicalAsset, netRaw }) => [canonicalAsset, netRaw]));
};
