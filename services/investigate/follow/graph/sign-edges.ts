import { largestFirst } from '../../model/amount.ts';
import { mapInTurns } from '../../model/give-way.ts';
import { ReadFailedError, transactionKey } from '../../model/transfer-reader.ts';
import type { FollowContext } from '../follow-context.ts';
import type { FollowReads } from '../follow-reader.ts';
import { TRANSACTIONS_PER_EDGE_MAX, TRANSACTIONS_PER_TRAIL_MAX } from '../rules.ts';
import type { FoundEdge } from './draw-graph.ts';
import type { FlowEdge } from './flow-graph.ts';

/** Names the largest transactions of each edge, with one question: one at least of each. Throws where they cannot be read. */
export const signEdges = async (
  { request: { chain } }: FollowContext,
  edges: readonly FoundEdge[],
  reads: FollowReads,
): Promise<readonly FlowEdge[]> => {
  if (edges.length === 0) return [];
  const fair = Math.floor(TRANSACTIONS_PER_TRAIL_MAX / edges.length);
  const most = Math.max(1, Math.min(TRANSACTIONS_PER_EDGE_MAX, fair));
  const shown = await mapInTurns(edges, ({ payments }) => payments.toSorted(largestFirst).slice(0, most));
  const positions = [...new Map(shown.flat().map((at) => [transactionKey(at), at])).values()];
  const hashes = await reads.transactionHashes({ chain: chain.name }, positions);
  const byKey = new Map(positions.map((position, at) => [transactionKey(position), hashes[at] ?? null]));
  return mapInTurns(edges.entries(), ([at, { payments, ...edge }]) => ({
    ...edge,
    transactionsTotal: new Set(payments.map(transactionKey)).size,
    transactions: (shown[at] ?? [])
      .map((payment) => {
        const signature = byKey.get(transactionKey(payment)) ?? null;
        // Its block was just retracted or the tables are being rebuilt. A new request finds another flow.
        if (signature === null) throw new ReadFailedError('unavailable');
        return { signature, amountRaw: payment.amountRaw, timeUnixSeconds: payment.blockTime };
      })
      .sort((a, b) => a.timeUnixSeconds - b.timeUnixSeconds || (a.signature < b.signature ? -1 : 1)),
  }));
};
