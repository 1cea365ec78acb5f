import type { Address } from '../../model/address.ts';
import { largestFirst, sumOf, toShare } from '../../model/amount.ts';
import { groupInTurns, mapInTurns } from '../../model/give-way.ts';
import { passingKind } from '../../model/label.ts';
import { sortInTurns } from '../../model/sort-in-turns.ts';
import type { TransactionPosition } from '../../model/transfer-reader.ts';
import { NOTHING_KNOWN } from '../fates/fate.ts';
import type { FollowContext } from '../follow-context.ts';
import { MOVED_ON_MIN_PARTS, PARTS } from '../rules.ts';
import { drawSwapEnds, likeliest, type Swap } from './draw-swap-ends.ts';
import { endsAt, isOnlyThrough, type Reached } from './expand-flow.ts';
import type {
  Coverage,
  FlowEdge,
  FlowEnd,
  FlowEndReason,
  FlowGraph,
  FlowNode,
  FlowPayment,
  FlowRequest,
  FlowTransfer,
  FrontierReason,
  FrontierWallet,
} from './flow-graph.ts';
import type { TracedPayments } from './trace-payments.ts';

/** An edge whose transactions are positions. */
export type FoundEdge = Omit<FlowEdge, 'transactions' | 'transactionsTotal'> & {
  readonly payments: readonly (TransactionPosition & { readonly amountRaw: bigint })[];
};

type Found = {
  readonly request: FlowRequest;
  readonly wallets: ReadonlyMap<Address, Reached>;
  readonly payments: readonly FlowPayment[];
  readonly traced: TracedPayments;
};

type Drawn = Pick<FlowGraph, 'nodes' | 'ends' | 'rests' | 'frontier' | 'coverage' | 'cuts' | 'isComplete'> & {
  readonly edges: readonly FoundEdge[];
};

/** Makes the parts of the answer. All traced money is at an end, rests at a wallet, or is in the frontier. */
export const drawGraph = async (context: FollowContext, found: Found): Promise<Drawn> => {
  const { request, wallets, traced } = found;
  const isFollowed = ({ probability }: FlowPayment): boolean => probability >= request.minProbability;
  const payments = found.payments.filter(isFollowed);
  const nodes = (await mapInTurns(wallets.values(), (wallet) => toNode(wallet, found))).sort(byArrived);
  const transfers = payments.filter((payment): payment is FlowTransfer => payment.type === 'transfer');
  const byPair = await groupInTurns(
    transfers.filter(({ to }) => wallets.has(to)),
    ({ from, to, through }) => [from, ...through.map(({ address }) => address), to].join(' '),
  );
  const edges = await sortInTurns(await mapInTurns(byPair.values(), (of) => toEdge(of, traced)), byTraced);
  const swaps = payments.filter((payment): payment is Swap => payment.type === 'swap');
  const atServices = nodes.flatMap(({ address, label, end, restRaw, probability }): FlowEnd[] =>
    end === null || restRaw === 0n
      ? []
      : [
          {
            ...{ reason: end, address, from: address, label, amountRaw: restRaw, probability },
            ...{ output: null, crossings: [], positionRaw: 0n, fate: NOTHING_KNOWN },
          },
        ],
  );
  const ends = [...atServices, ...(await drawSwapEnds(context, swaps, found))].sort(byEnd);
  const untold = Map.groupBy(
    transfers.filter(({ to }) => !wallets.has(to)),
    ({ from }) => from,
  );
  const left = nodes.flatMap(({ address, restRaw, probability }): FrontierWallet[] => {
    const reason = wallets.get(address)?.left ?? null;
    return reason === null ? [] : [{ address, reason, amountRaw: restRaw, probability }];
  });
  const unlikely = Map.groupBy(
    found.payments.filter((payment) => !isFollowed(payment)),
    ({ from }) => from,
  );
  const behind = (
    reason: FrontierReason,
    of: ReadonlyMap<Address, readonly FlowPayment[]>,
  ): FrontierWallet[] =>
    [...of].map(([address, paid]) => {
      return { address, reason, amountRaw: traced.carried(paid), probability: likeliest(paid) };
    });
  const unfollowed = [...behind('size', untold), ...behind('min_probability', unlikely)];
  const frontier = [...left, ...unfollowed].sort(
    (a, b) => largestFirst(a, b) || (a.address < b.address ? -1 : 1),
  );
  const decided = [...wallets.values()].map((wallet) => wallet.decided);
  const { rests, ...sums } = whereItIs(nodes, ends, { left, unfollowed });
  return {
    ...{ nodes, edges, ends, rests, frontier, coverage: { takenRaw: traced.takenRaw, ...sums } },
    cuts: decided.flatMap((told) => told?.cuts ?? []),
    isComplete: decided.every((told) => told?.known.isAllRead ?? true),
  };
};

const toNode = (wallet: Reached, { traced }: Found): FlowNode => {
  const { address, label, start, hops, brought } = wallet;
  const sums = traced.of(address);
  const probability = start === null ? likeliest([...brought.values()].flat()) : 1;
  const unread = wallet.decided?.known.rest ?? null;
  const end = endOf(wallet, sums);
  return { address, label, isStart: start !== null, hops, probability, ...sums, end, unread };
};

const endOf = (
  wallet: Reached,
  { arrivedRaw, leftRaw }: Pick<FlowNode, 'arrivedRaw' | 'leftRaw'>,
): FlowEndReason | null => {
  const { label, isPool, decided, left } = wallet;
  if (isOnlyThrough(wallet) || isPool) return 'at_rest';
  if (endsAt(wallet)) return label && passingKind(label) === 'dex' ? 'dex_swap' : (serviceOf(wallet) ?? null);
  if (left !== null || decided === null) return null;
  if (decided.known.sinceInflow === 'unread') return 'no_data';
  return leftRaw * PARTS < arrivedRaw * MOVED_ON_MIN_PARTS ? 'at_rest' : null;
};

const serviceOf = ({ label }: Reached): 'exchange' | 'bridge' | 'mixer' | null => {
  const kind = label && passingKind(label);
  return kind === 'exchange' || kind === 'bridge' || kind === 'mixer' ? kind : null;
};

const toEdge = (of: readonly FlowTransfer[], { carried, of: sumsOf }: TracedPayments): FoundEdge => {
  const [{ from, to, through }] = of as [FlowTransfer];
  const tracedRaw = carried(of);
  const { arrivedRaw } = sumsOf(from);
  return {
    ...{ from, to, through, tracedRaw, movedRaw: sumOf(of), probability: likeliest(of) },
    share: arrivedRaw === 0n ? 0 : toShare(tracedRaw, arrivedRaw),
    isBeyond: of.every(({ isBeyond }) => isBeyond),
    payments: of,
  };
};

/** What a wallet received and did not pay on rests there, unless the wallet is an end or unread. */
const whereItIs = (
  nodes: readonly FlowNode[],
  ends: readonly FlowEnd[],
  { left, unfollowed }: Readonly<Record<'left' | 'unfollowed', readonly FrontierWallet[]>>,
): Omit<Coverage, 'takenRaw'> & Pick<FlowGraph, 'rests'> => {
  const known = ends.filter(({ reason }) => reason !== 'at_rest' && reason !== 'no_data');
  const endsRaw = sumOf(known);
  const unknown = ends.filter(({ reason }) => reason === 'no_data');
  const frontierRaw = sumOf(left) + sumOf(unfollowed) + sumOf(unknown);
  const elsewhere = new Set(
    [...known.filter(({ output }) => output === null), ...unknown, ...left].map(({ address }) => address),
  );
  const rests = nodes
    .filter(({ address, restRaw }) => restRaw > 0n && !elsewhere.has(address))
    .map(({ address, label, probability, restRaw: amountRaw }) => ({
      ...{ address, label, probability, amountRaw, fate: NOTHING_KNOWN },
    }))
    .sort(largestFirst);
  return { endsRaw, restRaw: sumOf(rests), frontierRaw, rests };
};

const byArrived = (a: FlowNode, b: FlowNode): number =>
  largestFirst({ amountRaw: a.arrivedRaw }, { amountRaw: b.arrivedRaw }) ||
  b.probability - a.probability ||
  (a.address < b.address ? -1 : 1);

const byTraced = (a: FoundEdge, b: FoundEdge): number =>
  largestFirst({ amountRaw: a.tracedRaw }, { amountRaw: b.tracedRaw }) ||
  largestFirst({ amountRaw: a.movedRaw }, { amountRaw: b.movedRaw }) ||
  (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1);

const byEnd = (a: FlowEnd, b: FlowEnd): number =>
  largestFirst(a, b) ||
  (`${a.address} ${a.from} ${a.reason}` < `${b.address} ${b.from} ${b.reason}` ? -1 : 1);
