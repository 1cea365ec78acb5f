import type { Address } from '../../model/address.ts';
import { abs } from '../../model/amount.ts';
import { type CanonicalAsset, isListed, isUnverifiedToken, toCanonicalAsset } from '../../model/asset.ts';
import {
  type FlowPage,
  type FlowsRequest,
  type ReadLimits,
  type SwapFlow,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import { type FlowSide, FORWARD } from '../direction.ts';
import type { FollowContext } from '../follow-context.ts';
import { readTransactions } from '../read-transactions.ts';
import { mayBePaidFor, readWeights, sumSides } from '../sales/weigh-sides.ts';

type Asked = Omit<FlowsRequest, keyof ReadLimits | 'chain' | 'canonicalAsset' | 'ownOnly'>;
type Reading = Pick<FollowContext, 'request' | 'asset' | 'read'>;

/**
 * A page of what left a wallet, or arrived in it, of the followed asset, without what only others make out to be a swap of
 * the wallet's: a thief who takes by allowance, or as a delegate, can have any token, or a bit of dust of a true one, go back within his
 * transaction. Such a swap counts where what was got is worth it; a token that may log falsely only where that is known, and so
 * any that no list names where a delegate took what was given: anybody can make one.
 */
export const readFlows = async (reading: Reading, side: FlowSide, asked: Asked): Promise<FlowPage> => {
  const { chain } = reading.request;
  const { canonicalAsset } = reading.asset;
  const ownOnly = isUnverifiedToken(chain, canonicalAsset);
  const ask = (own: boolean): Promise<FlowPage> =>
    reading.read((reader, limits) =>
      reader[side]({ ...asked, chain: chain.name, canonicalAsset, ownOnly: own, ...limits }),
    );
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

/** Of swaps in others' transactions the ones that are none. */
const findUnpaid = async (
  { request: { chain }, asset, read }: Reading,
  { wallet, side }: { readonly wallet: Address; readonly side: FlowSide },
  swaps: readonly SwapFlow[],
): Promise<ReadonlySet<SwapFlow>> => {
  const positions = [...new Map(swaps.map((swap) => [transactionKey(swap), swap])).values()];
  const transactions = await readTransactions(chain, positions, read);
  const netRaws = new Map(
    [...transactions.rows].map(([key, rows]) => [key, netRawsOf(wallet, rows)] as const),
  );
  const exchanged = swaps.map((swap): Exchange => {
    const canonicalAsset = toCanonicalAsset(chain, swap.otherAsset);
    const key = transactionKey(swap);
    const netRaw = netRaws.get(key)?.get(canonicalAsset);
    const gave = { wallet, canonicalAsset: side === 'departures' ? asset.canonicalAsset : canonicalAsset };
    const isTaken = isTakenByDelegate(transactions.rows.get(key) ?? [], gave);
    // Nor is what nobody could read to be believed.
    const isMadeUp = transactions.unread.has(key) || isUnverifiedToken(chain, canonicalAsset);
    const isBelieved = !isMadeUp && (isListed(chain, canonicalAsset) || !isTaken);
    // What was issued or destroyed is in no row.
    return { swap, canonicalAsset, otherRaw: netRaw === undefined ? null : abs(netRaw), isBelieved };
  });
  const moments = exchanged.flatMap(({ swap: { blockTime: timeUnixSeconds }, canonicalAsset }) => [
    { canonicalAsset: asset.canonicalAsset, timeUnixSeconds },
    { canonicalAsset, timeUnixSeconds },
  ]);
  const weigh = await readWeights(chain, moments, read);
  const isPaid = ({ swap, canonicalAsset, otherRaw, isBelieved }: Exchange): boolean => {
    const { amountRaw, blockTime: timeUnixSeconds } = swap;
    const { usd } = weigh({ canonicalAsset: asset.canonicalAsset, timeUnixSeconds, amountRaw });
    const otherUsd =
      otherRaw === null ? null : weigh({ canonicalAsset, timeUnixSeconds, amountRaw: otherRaw }).usd;
    return mayBePaidFor(otherUsd, usd, { isBelieved });
  };
  return new Set(exchanged.flatMap((one) => (isPaid(one) ? [] : [one.swap])));
};

type Exchange = {
  readonly swap: SwapFlow;
  readonly canonicalAsset: CanonicalAsset;
  /** What the wallet got for it, direction gave; null where no row tells. */
  readonly otherRaw: bigint | null;
  /** Though nobody knows what it is worth. */
  readonly isBelieved: boolean;
};

/** What the wallet gave left it, and nothing of it by its own signature. */
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
