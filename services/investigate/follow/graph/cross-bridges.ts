import type { Address } from '../../model/address.ts';
import { largestFirst, least, most, sumOf } from '../../model/amount.ts';
import { type PlacedBridgeTransfer, transactionKey } from '../../model/transfer-reader.ts';
import { type Crossed, findFarSide, type IntoBridge } from '../bridges/find-far-side.ts';
import { FORWARD } from '../direction.ts';
import type { FollowContext } from '../follow-context.ts';
import { CROSSINGS_MAX } from '../rules.ts';
import type { FarSide } from '../trail.ts';
import type { FlowEnd, FlowPayment, FlowRequest, FlowTransfer, ReadCounts } from './flow-graph.ts';
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
  let searches = 0;
  const find = async (into: IntoBridge): Promise<Crossed | null> => {
    if (searches === CROSSINGS_MAX || spent().questions >= request.budget.calls) return null;
    searches += 1;
    return findFarSide(context, into);
  };
  const told = new Map<string, Crossing & { readonly to: Address }>();
  for (const { of, amountRaw: carriedRaw } of largest) {
    const [{ to }] = of as [FlowTransfer];
    const sumRaw = sumOf(of);
    for (const { messageId, ...side } of await findFarSides(of, find)) {
      const tracedRaw = (side.amountRaw * carriedRaw) / most(sumRaw, side.bridgedRaw ?? 0n);
      const payout = `${messageId} ${side.chain.name} ${side.signature} ${side.address} ${side.amountRaw}`;
      const known = told.get(payout);
      if (known === undefined) told.set(payout, { ...side, tracedRaw, to });
      // Without the bridge's number the same payout may fit two payments, of which one is it.
      else if (side.by === 'id' && known.to === to)
        told.set(payout, { ...known, tracedRaw: least(side.amountRaw, known.tracedRaw + tracedRaw) });
    }
  }
  const crossings = Map.groupBy(told.values(), ({ to }) => to);
  return ends.map((end) => ({ ...end, crossings: crossings.get(end.address) ?? [] }));
};

type Crossing = FlowEnd['crossings'][number];
type Found = FarSide & Pick<PlacedBridgeTransfer, 'messageId'>;

/**
 * Where a wallet's payments into a bridge came out. Within one transaction they may be several crossings; if these are not all that was
 * paid, and no more, some of them are another payment's.
 */
const findFarSides = async (
  of: readonly FlowTransfer[],
  find: (into: IntoBridge) => Promise<Crossed | null>,
): Promise<readonly Found[]> => {
  const [first] = of as [FlowTransfer];
  const through = of.flatMap((payment) => payment.through);
  const taken = new Set<number>();
  const found: Found[] = [];
  const sumRaw = sumOf(of);
  let foundRaw = 0n;
  for (let amountRaw = sumRaw; amountRaw > 0n; ) {
    const mainTransfer = { ...first, amountRaw };
    const into = { from: first.from, through, mainTransfer, carriers: [mainTransfer], taken };
    const crossed = await find(into);
    if (crossed === null) break;
    const { output, near, otherCrossings: others } = crossed;
    if (output !== null)
      found.push({ ...output, messageId: output.by === 'id' ? (near?.messageId ?? null) : null });
    if (near !== null) taken.add(near.index);
    foundRaw += output?.by === 'beneficiary' ? amountRaw : (near?.amountRaw ?? 0n);
    const wholeRaw = others.reduce((sum, other) => sum + (other.amountRaw ?? 0n), foundRaw);
    amountRaw = FORWARD.equalsWithinFee(wholeRaw, sumRaw) ? (others[0]?.amountRaw ?? 0n) : 0n;
  }
  return found;
};
