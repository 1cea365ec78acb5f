import type { Backfills } from '../../investigate/model/backfills.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import { addressKnown, wantedOf } from '../../investigate/trace/crowd.ts';
import { trace } from '../../investigate/trace/trace.ts';
import type { Crowd, Trace, TraceRequest } from '../../investigate/trace/trace-answer.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Wanted, wholeHistory } from '../asking/ask-in-time.ts';
import { BEING_READ, READ_IN_PART } from '../asking/being-read.ts';
import type { RunQuestion } from '../asking/run-question.ts';
import type { ApiMiddleware } from '../context.ts';
import { validate } from '../validate.ts';
import { presentTrace } from './presenter.ts';
import { createTraceSchema } from './schema.ts';

export type TraceRouteDependencies = {
  readonly traceReader: TraceReader;
  readonly prices: PriceReader;
  readonly clock: Clock;
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly runQuestion: RunQuestion;
  /** Read at each call. */
  readonly backfills: () => Backfills;
};

/** POST /trace. */
export const createTraceHandler = ({
  traceReader: reader,
  prices,
  clock,
  chains,
  runQuestion,
  backfills,
}: TraceRouteDependencies): ApiMiddleware => {
  const schema = createTraceSchema(chains, clock);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { signal } = ctx.state;
    const { chain, wallet, budgetMs } = request;
    const lastRead = () => backfills().lastBackfill(chain.name, wallet);
    ctx.body = await runQuestion(ctx, {
      ...{ tariff: 'trace', chain, budgetMs },
      answer: () => trace(request, { reader, prices, signal, backfills: backfills() }),
      missing: (traced, known) => missingOf(request, traced, known),
      free: ({ scope }) => (scope === 'no_data' ? scope : null),
      addresses: ({ crowd, candidates }) => [
        ...[wallet, request.counterparty, ...(crowd?.addresses ?? [])],
        ...candidates.map((candidate) => candidate.wallet),
      ],
      present: (traced, { beingRead }) => {
        const isReadInPart = (lastRead()?.missing ?? 'nothing') !== 'nothing';
        const readInPart = isReadInPart ? READ_IN_PART : null;
        const gap = beingRead.length > 0 ? BEING_READ : readInPart;
        return presentTrace(traced, { gap: traced.anchor.verified ? null : gap });
      },
    });
  };
};

/** Histories that are asked for at once, and candidates whose evidence is read. */
const ASKED_AT_ONCE_MAX = 8;
const CANDIDATES_READ_MAX = 40;

/** First the transfer itself, then who left the service in the window, then what ties each of them to the wallet. */
const missingOf = (
  { chain, wallet }: TraceRequest,
  { anchor, crowd, candidates }: Trace,
  known: Backfills,
): readonly Wanted[] => {
  const isUnread = (address: string): boolean => known.lastBackfill(chain.name, address) === null;
  if (!anchor.verified) return isUnread(wallet) ? [wholeHistory(wallet)] : [];
  if (crowd === null || !known.canBackfill(chain.name)) return [];
  const others = crowd.addresses
    .filter((address) => addressKnown(chain, address, crowd, known) !== 'whole')
    .map((address) => windowOf(wantedOf(chain, address, crowd, known), address));
  const tied = [wallet, ...candidates.slice(0, CANDIDATES_READ_MAX).map((candidate) => candidate.wallet)];
  return [...others, ...[...new Set(tied)].filter(isUnread).map(wholeHistory)].slice(0, ASKED_AT_ONCE_MAX);
};

const windowOf = ({ anchorBlock, asset, side, isForward }: Crowd, address: string): Wanted => ({
  ...wholeHistory(address),
  ...{ asset: side === 'emitted' ? null : asset, side },
  ...(isForward
    ? { first: anchorBlock, order: 'oldest' as const }
    : { last: anchorBlock, order: 'newest' as const }),
});
