import type { Address } from '../../model/address.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import { keepPages } from '../../session/flow-pages.ts';
import { refuseWithoutAnswer, unlessUnread } from '../../session/left-out.ts';
import { FORWARD } from '../direction.ts';
import { END_OF_TIME, findAsset, startPosition } from '../find-asset.ts';
import { type FollowContext, readSpan } from '../follow-context.ts';
import { type FollowDependencies, openFollow } from '../follow-reader.ts';
import { noRefunds } from '../inner/refunds.ts';
import { findArrivals } from '../payments/find-arrivals.ts';
import {
  FLOW_PAGE_SIZES,
  FLOW_ROWS_MAX,
  FLOW_ROWS_REFUSED,
  MIN_PROBABILITY_DEFAULT,
  SALE_ROWS_MAX,
  SIGNING_RESERVE_MS,
} from '../rules.ts';
import type { FollowRequest } from '../trail.ts';
import type { TruncatedRead } from '../why.ts';
import { crossBridges } from './cross-bridges.ts';
import { drawGraph } from './draw-graph.ts';
import { expandFlow, type Reached, type Start } from './expand-flow.ts';
import type { FlowGraph, FlowPayment, FlowRequest, FlowStart, ReadCounts } from './flow-graph.ts';
import { signEdges } from './sign-edges.ts';
import { signPositions } from './sign-positions.ts';
import { sumOutcomes } from './sum-outcomes.ts';
import { tellFates } from './tell-fates.ts';
import { type Deposit, tracePayments } from './trace-payments.ts';

/**
 * Follows all money out of the starts, through every wallet that it reached: what splits, what joins, and what may be somebody
 * else's, each payment with its probability. Fails as `follow` does where a start cannot be read, and where the hashes of the
 * transactions found cannot be.
 */
export const followGraph = async (
  request: FlowRequest,
  dependencies: FollowDependencies,
): Promise<FlowGraph> => {
  const { chain } = request;
  const starts = request.starts.map((start) => toTrailRequest(request, start));
  const first = starts.map(startPosition).reduce((a, b) => (a.blockTime <= b.blockTime ? a : b));
  const { backfills } = dependencies;
  const budget = { ms: request.budget.seconds * 1_000, rowsMax: FLOW_ROWS_REFUSED };
  const session = openFollow(dependencies, budget);
  const { reads, cut } = session;
  const { readPage, wallets: paged } = keepPages(reads, { departures: first, arrivals: END_OF_TIME });
  const counts = (): ReadCounts => {
    const { queries: questions, rows } = session.spent();
    return { questions, wallets: paged.size, rows };
  };
  const span = readSpan(chain, reads);
  // The awaiting caller handles the rejection.
  span.catch(() => undefined);
  const [any] = starts;
  if (any === undefined) throw new Error('a flow without a start');
  const asset = await findAsset(any, reads).catch(refuseWithoutAnswer);
  const pages = { ...FLOW_PAGE_SIZES, isFull: () => counts().rows >= FLOW_ROWS_MAX };
  const reading = { reads, readPage, keeping: session.keeping };
  const shared = { direction: FORWARD, asset, ...reading, pages, backfills, span };
  const found = { details: { begin: () => undefined }, refunds: noRefunds() };
  const journeyOf = (of: FollowRequest): FollowContext => ({ request: of, ...shared, ...found });
  const begun = await Promise.all(starts.map((start) => beginAt(journeyOf(start)))).catch(
    refuseWithoutAnswer,
  );
  const known = new Map(begun.map(({ address, ...start }) => [address, start]));
  const priced = await readPrice(journeyOf(any), startTimes(begun));
  const wallets = await expandFlow(journeyOf(any), {
    ...{ starts: known, request, spent: counts },
    leftMs: () => session.leftMs() - SIGNING_RESERVE_MS,
    usdOf: (expected) =>
      priced.price === null
        ? Number.POSITIVE_INFINITY
        : (expected / 10 ** (asset.decimals ?? 0)) * priced.price.usd,
  }).catch(refuseWithoutAnswer);
  const payments = tracedPayments(wallets, request);
  const unknown = begun.filter(({ stake }) => stake.source === 'unknown');
  const traced = await tracePayments(depositsOf(begun), payments, {
    ...{ direction: FORWARD, minProbability: request.minProbability },
    unlimited: new Set(unknown.map(({ address }) => address)),
  });
  const graph = await drawGraph(journeyOf(any), { request, wallets, payments, traced });
  const ends = await crossBridges(journeyOf(any), graph.ends, {
    ...{ request, payments, traced, spent: counts },
  });
  const [edges, positions, told] = await Promise.all([
    signEdges(journeyOf(any), graph.edges, session.keeping(0)).catch(refuseWithoutAnswer),
    signPositions(journeyOf(any), wallets, session.keeping(0)).catch(refuseWithoutAnswer),
    tellFates(journeyOf(any), { ends, rests: graph.rests }, wallets, session.keeping(0)),
  ]);
  return {
    ...{ request, asset, ...graph, ...told, edges, positions, span: await span.catch(refuseWithoutAnswer) },
    outcomes: sumOutcomes({ ...told, coverage: graph.coverage }),
    ...(priced.price === null
      ? await readPrice(
          journeyOf(any),
          payments.map(({ blockTime }) => blockTime),
        )
      : priced),
    cuts: [...begun.flatMap(({ cuts }) => cuts), ...graph.cuts, ...cutsOf(payments, cut.get('transactions'))],
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
  { request: { chain }, asset: { canonicalAsset }, reads }: FollowContext,
  times: readonly number[],
): Promise<Pick<FlowGraph, 'price' | 'pricedAtUnixSeconds'>> => {
  if (times.length === 0) return { price: null, pricedAtUnixSeconds: null };
  const timeUnixSeconds = times.reduce((a, b) => Math.min(a, b));
  const moments = [{ canonicalAsset, timeUnixSeconds }];
  const [price = null] = await unlessUnread(reads.prices({ chain }, moments), []);
  return { price, pricedAtUnixSeconds: timeUnixSeconds };
};

/** Wallets whose transactions hold too much to be read whole: what they paid may have gone on or have been sold there. */
const cutsOf = (
  payments: readonly FlowPayment[],
  unread: ReadonlySet<string> = new Set(),
): readonly TruncatedRead[] => {
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
