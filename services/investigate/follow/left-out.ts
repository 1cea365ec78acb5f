import type { Address } from '../model/address.ts';
import { sumOf } from '../model/amount.ts';
import { type FlowPage, transactionKey } from '../model/transfer-reader.ts';
import { startPosition } from './find-asset.ts';
import type { FollowContext, Stand } from './follow-context.ts';
import { startOf } from './payments/gather-outflows.ts';
import { groupDestinations, type WalletDestination } from './payments/group-destinations.ts';
import { MOVED_ON_MIN_PARTS, PARTS } from './rules.ts';
import type { Caveat } from './why.ts';

/**
 * What others' transactions say that the wallet paid of a token that may log falsely; direction, got. It may have been an
 * allowance or a smart account, or a token that lies.
 */
export const readLeftOut = async (
  { request, direction, asset: { canonicalAsset }, read, pages }: FollowContext,
  { wallet, stake }: Stand,
): Promise<readonly WalletDestination[]> => {
  const { chain } = request;
  const [first] = stake.lots;
  const from = first === undefined ? startPosition(request) : startOf(first);
  const { onward } = direction;
  const ask = (ownOnly: boolean): Promise<FlowPage> =>
    read((reader, limits) =>
      reader[onward]({
        ...{ chain: chain.name, wallet, canonicalAsset, from, ownOnly, transfersOnly: true },
        ...{ limit: pages.firstRows, ...limits },
      }),
    );
  const [all, own] = await Promise.all([ask(false), ask(true)]);
  const ownKeys = new Set(own.rows.map(transactionKey));
  const payments = all.rows.flatMap((row) =>
    row.type === 'transfer' && !ownKeys.has(transactionKey(row)) ? [{ ...row, to: row.counterparty }] : [],
  );
  return groupDestinations(payments, direction).filter((destination) => destination.type === 'wallet');
};

export const toCaveats = (leftOut: readonly WalletDestination[]): readonly Caveat[] => {
  const to: readonly Address[] = leftOut.map(({ address }) => address);
  return to.length === 0 ? [] : [{ type: 'left_out', amountRaw: sumOf(leftOut), to }];
};

/** More than change of what arrived: that it rests cannot be said. */
export const mayBeTheMoney = (
  leftOut: readonly WalletDestination[],
  { arrivedRaw }: { readonly arrivedRaw: bigint },
): boolean => leftOut.length > 0 && sumOf(leftOut) * PARTS >= arrivedRaw * MOVED_ON_MIN_PARTS;
