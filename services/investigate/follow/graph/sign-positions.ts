import type { Address } from '../../model/address.ts';
import { largestFirst } from '../../model/amount.ts';
import { ReadFailedError, transactionKey } from '../../model/transfer-reader.ts';
import type { FollowContext } from '../follow-context.ts';
import type { FollowReads } from '../follow-reader.ts';
import { placesOf } from '../positions/position.ts';
import { TRANSACTIONS_MAX } from '../rules.ts';
import type { Reached } from './expand-flow.ts';
import type { FlowGraph } from './flow-graph.ts';

/** Names the transactions of the largest deposits that came back, with one question. Throws where they cannot be read. */
export const signPositions = async (
  { request: { chain } }: FollowContext,
  wallets: ReadonlyMap<Address, Reached>,
  reads: FollowReads,
): Promise<FlowGraph['positions']> => {
  const all = [...wallets.values()].flatMap(({ address: wallet, decided }) =>
    (decided?.positions ?? []).map((position) => ({ ...position, wallet })),
  );
  const largest = all.sort((a, b) => largestFirst(a.back, b.back)).slice(0, TRANSACTIONS_MAX);
  if (largest.length === 0) return [];
  const places = [...new Map(placesOf(largest).map((at) => [transactionKey(at), at])).values()];
  const hashes = await reads.transactionHashes({ chain: chain.name }, places);
  const byKey = new Map(places.map((at, index) => [transactionKey(at), hashes[index] ?? null]));
  const sign = (at: Parameters<typeof transactionKey>[0]): string => {
    const signature = byKey.get(transactionKey(at)) ?? null;
    if (signature === null) throw new ReadFailedError('unavailable');
    return signature;
  };
  return largest.map(({ wallet, receipt, deposit, back }) => {
    const { amountRaw, blockTime: timeUnixSeconds } = back;
    return { wallet, receipt, signatures: [sign(deposit), sign(back)], amountRaw, timeUnixSeconds };
  });
};
