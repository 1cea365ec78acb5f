import type { Address } from '../../model/address.ts';
import { larger, largestFirst, sumOf } from '../../model/amount.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import { findFarSide } from '../bridges/find-far-side.ts';
import { FORWARD } from '../direction.ts';
import type { FollowContext } from '../follow-context.ts';
import { CROSSINGS_MAX } from '../rules.ts';
import type { FlowEnd, FlowPayment, FlowRequest, FlowTransfer } from './flow-graph.ts';
import type { ReadCounts } from './read-together.ts';
import type { TracedPayments } from './trace-payments.ts';

type Reached = {
  readonly request: Pick<FlowRequest, 'minProbability' | 'budget'>;
  readonly payments: readonly FlowPayment[];
  readonly traced: Pick<TracedPayments, 'carried'>;
  readonly spent: () => ReadCounts;
};

/** Adds to ends at bridges where their largest payments came out. Of all ends together, and within the budget. */
export const crossBridges = async (
  context: FollowContext,
  ends: readonly FlowEnd[],
  { request, payments, traced, spent }: Reached,
): Promise<readonly FlowEnd[]> => {
  const bridges = new Set(ends.filter(({ reason }) => reason === 'bridge').map(({ address }) => address));
  const isInto = (payment: FlowPayment): payment is FlowTransfer =>
    payment.type === 'transfer' && bridges.has(payment.to) && payment.probability >= request.minProbability;
  // A transaction may pay in several ways.
  const groups = Map.groupBy(
    payments.filter(isInto),
    (payment) => `${transactionKey(payment)} ${payment.from} ${payment.to}`,
  );
  const largest = [...groups.values()]
    .map((of) => ({ of, amountRaw: traced.carried(of) }))
    .filter(({ amountRaw }) => amountRaw > 0n)
    .sort((a, b) => largestFirst(a, b) || FORWARD.compare(a.of[0] as FlowTransfer, b.of[0] as FlowTransfer))
    .slice(0, CROSSINGS_MAX);
  const crossings = new Map<Address, FlowEnd['crossings']>();
  const known = new Set<string>();
  for (const { of, amountRaw: carriedRaw } of largest) {
    if (spent().questions >= request.budget.calls) break;
    const { to, from, through } = of.reduce(larger);
    const mainTransfer = { ...(of[0] as FlowTransfer), amountRaw: sumOf(of) };
    const into = { from, through, mainTransfer, carriers: [mainTransfer] };
    const { output } = await findFarSide(context, into);
    if (output === null) continue;
    // Without the bridge's number the same payout may fit two payments: it is told once.
    const payout = `${output.chain.name} ${output.signature} ${output.address} ${output.amountRaw}`;
    if (known.has(payout)) continue;
    known.add(payout);
    const tracedRaw = (output.amountRaw * carriedRaw) / mainTransfer.amountRaw;
    crossings.set(to, [...(crossings.get(to) ?? []), { ...output, tracedRaw }]);
  }
  return ends.map((end) => ({ ...end, crossings: crossings.get(end.address) ?? [] }));
};
