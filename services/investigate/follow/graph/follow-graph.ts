import type { Address } from '../../model/address.ts';
import type { Price } from '../../model/price-reader.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import { FORWARD } from '../direction.ts';
import { findAsset, startPosition } from '../find-asset.ts';
import type { FollowContext } from '../follow-context.ts';
import {
  createBudgetedRead,
  type FollowDependencies,
  keeping,
  refuseWithoutAnswer,
  unlessUnread,
} from '../follow-reader.ts';
import { noRefunds } from '../inner/refunds.ts';
import { findArrivals } from '../payments/find-arrivals.ts';
import {
  FLOW_PAGE_SIZES,
  FLOW_ROWS_MAX,
  MIN_PROBABILITY_DEFAULT,
  SALE_ROWS_MAX,
  SIGNING_RESERVE_MS,
} from '../rules.ts';
import type { FollowRequest } from '../trail.ts';
import type { TruncatedRead } from '../why.ts';
import { crossBridges } from './cross-bridges.ts';
import { drawGraph } from './draw-graph.ts';
import { expandFlow, type Reached, type Start } from './expand-flow.ts';
import type { FlowGraph, FlowPayment, FlowRequest, FlowStart } from './flow-graph.ts';
import { readTogether } from './read-together.ts';
import { signEdges } from './sign-edges.ts';
import { type Deposit, tracePayments } from './trace-payments.ts';
import { weighTogether } from './weigh-together.ts';

/**
 * Follows all money out of the starts, through every wallet that it reached: what splits, what joins, and what may be somebody
 * else's, each payment with its probability. Fails as `follow` does where a start cannot be read, and where the hashes of the
 * transactions found cannot be.
 */
export const followGraph = async (
  request: FlowRequest,
  { reader: tables, ...others }: FollowDependencies,
): Promise<FlowGraph> => {
  const { chain } = request;
  const starts = request.starts.map((start) => toTrailRequest(request, start));
  const first = starts.map(startPosition).reduce((a, b) => (a.blockTime <= b.blockTime ? a : b));
  const { reader, counts, unread } = readTogether(tables, { chain, first });
  const dependencies = { ...others, ...weighTogether(chain, others), reader };
  const { clock, backfills } = dependencies;
  const endUnixMs = clock.nowUnixMs() + request.budget.seconds * 1_000;
  const read = createBudgetedRead(dependencies, endUnixMs, SIGNING_RESERVE_MS);
  const span = read((all, limits) => all.contiguousRange({ chain: chain.name, ...limits }));
  // The awaiting caller handles the rejection.
  span.catch(() => undefined);
  const [any] = starts;
  if (any === undefined) throw new Error('a flow without a start');
  const asset = await findAsset(any, read).catch(refuseWithoutAnswer);
  const pages = { ...FLOW_PAGE_SIZES, isFull: () => counts().rows >= FLOW_ROWS_MAX };
  const shared = { direction: FORWARD, asset, read, pages, backfills, span };
  const found = { details: { begin: () => undefined }, refunds: noRefunds() };
  const journeyOf = (of: FollowRequest): FollowContext => ({ request: of, ...shared, ...found });
  const begun = await Promise.all(starts.map((start) => beginAt(journeyOf(start)))).catch(
    refuseWithoutAnswer,
  );
  const known = new Map(begun.map(({ address, ...start }) => [address, start]));
  const price = await readPrice(journeyOf(any), startTimes(begun));
  const wallets = await expandFlow(journeyOf(any), {
    ...{ starts: known, request, spent: counts, nowUnixMs: clock.nowUnixMs },
    deadlineUnixMs: endUnixMs - SIGNING_RESERVE_MS,
    usdOf: (expected) =>
      price === null ? Number.POSITIVE_INFINITY : (expected / 10 ** (asset.decimals ?? 0)) * price.usd,
  }).catch(refuseWithoutAnswer);
  const payments = tracedPayments(wallets, request);
  const unknown = begun.filter(({ stake }) => stake.source === 'unknown');
  const traced = tracePayments(depositsOf(begun), payments, {
    ...{ direction: FORWARD, minProbability: request.minProbability },
    unlimited: new Set(unknown.map(({ address }) => address)),
  });
  const graph = await drawGraph(journeyOf(any), { request, wallets, payments, traced });
  const ends = await crossBridges(journeyOf(any), graph.ends, {
    ...{ request, payments, traced, spent: counts },
  });
  const edges = await signEdges(journeyOf(any), graph.edges, keeping(read, 0)).catch(refuseWithoutAnswer);
  return {
    ...{ request, asset, ...graph, ends, edges, span: await span.catch(refuseWithoutAnswer) },
    price:
      price ??
      (await readPrice(
        journeyOf(any),
        payments.map(({ blockTime }) => blockTime),
      )),
    cuts: [...begun.flatMap(({ cuts }) => cuts), ...graph.cuts, ...cutsOf(payments, unread)],
    read: counts(),
  };
};

const toTrailRequest = (
  { chain, canonicalAsset, maxHops }: FlowRequest,
  { start, atUnixSeconds, amount, counterparty }: FlowStart,
): FollowRequest => ({
  chain,
  canonicalAsset,
  maxHops,
  start,
  atUnixSeconds,
  amount,
  counterparty,
  tracedRaw: null,
  backward: false,
});

type Begun = Start & { readonly address: Address; readonly cuts: readonly TruncatedRead[] };

const beginAt = async (context: FollowContext): Promise<Begun> => {
  const { stake, cuts } = await findArrivals(context);
  return { address: context.request.start, context, stake, cuts };
};

const startTimes = (starts: readonly Begun[]): readonly number[] =>
  starts.flatMap(({ context, stake }) => context.request.atUnixSeconds ?? stake.lots[0]?.blockTime ?? []);

/** One price for the whole flow, at its beginning, so that its dollars add up. */
const readPrice = async (
  { request: { chain }, asset: { canonicalAsset }, read }: FollowContext,
  times: readonly number[],
): Promise<Price | null> => {
  if (times.length === 0) return null;
  const moments = [{ canonicalAsset, timeUnixSeconds: times.reduce((a, b) => Math.min(a, b)) }];
  const reading = read((_, limits, { prices }) => prices.prices({ chain, moments, ...limits }));
  const [price = null] = await unlessUnread(reading, []);
  return price;
};

/** Wallets whose transactions hold too much to be read whole: what they paid may have gone on or have been sold there. */
const cutsOf = (payments: readonly FlowPayment[], unread: ReadonlySet<string>): readonly TruncatedRead[] => {
  const cut = payments.filter((payment) => unread.has(transactionKey(payment)));
  return [...new Set(cut.map(({ from }) => from))].map((wallet) => ({ wallet, rows: SALE_ROWS_MAX }));
};

/** Payments that may be the money. One that the request does not follow has still left its payer. */
const tracedPayments = (
  wallets: ReadonlyMap<Address, Reached>,
  { minProbability }: FlowRequest,
): readonly FlowPayment[] => {
  const least = Math.min(minProbability, MIN_PROBABILITY_DEFAULT);
  return [...wallets.values()].flatMap(({ payments }) =>
    payments.filter(({ probability }) => probability >= least),
  );
};

/** What was taken where that is known. */
const depositsOf = (starts: readonly Begun[]): readonly Deposit[] =>
  starts.flatMap(({ address: wallet, stake }) => stake.lots.map((lot) => ({ ...lot, wallet })));
