import { setTimeout as sleep } from 'node:timers/promises';
import { presentTrace } from '../../api/trace/presenter.ts';
import { createTraceSchema } from '../../api/trace/schema.ts';
import { presentAddress } from '../../investigate/model/address.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { ManyReader } from '../../investigate/model/many-reader.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { type Traced, traceTogether } from '../../investigate/trace/together/trace-together.ts';
import type { TraceRequest } from '../../investigate/trace/trace-answer.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Result } from '../../retrace/result.ts';
import type { TraceAnchors } from '../../retrace/worker-ports.ts';

type Over = { readonly reader: ManyReader; readonly prices: PriceReader; readonly clock: Clock };

/** Anchors that are traced at once: what they ask is short for whoever asks beside them. */
const PIECE = { first: 16, min: 4, max: 32 } as const;
/** Transfers that the anchors of one piece may be compared with: they are in memory at once. */
const FITS_PER_PIECE = 25_000;
/** Rests so many times as long as it worked: three quarters of the time belong to whoever asks one by one. */
const RESTS = 3;
const NAMES = CHAINS.map(({ name }) => name);

/** Traces anchors of jobs over the tables in small pieces, and rests in between. */
export const createTraceAnchors = ({ reader, prices, clock }: Over): TraceAnchors => {
  const schema = createTraceSchema(NAMES, clock);
  let size: number = PIECE.first;

  const tracePiece = async (requests: readonly TraceRequest[], signal: AbortSignal) => {
    const startMs = performance.now();
    try {
      return await traceTogether(requests, { reader, prices, signal });
    } finally {
      await sleep(RESTS * (performance.now() - startMs), undefined, { signal });
    }
  };
  /** One that cannot be read even alone says so, and holds up no other one. */
  const traceOrHalve = async (requests: readonly TraceRequest[], signal: AbortSignal): Promise<Result[]> => {
    try {
      const traced = await tracePiece(requests, signal);
      const read = traced.reduce((sum, one) => sum + ('trace' in one ? one.trace.window.transactions : 0), 0);
      const fitting = Math.floor(FITS_PER_PIECE / Math.max(1, read / requests.length));
      size = Math.max(PIECE.min, Math.min(PIECE.max, fitting, 2 * size));
      return traced.map(presentTraced);
    } catch (error) {
      if (!(error instanceof ReadFailedError) || error.code !== 'timeout') throw error;
      if (requests.length === 1) return [TOOK_TOO_LONG];
      const half = Math.ceil(requests.length / 2);
      return [
        ...(await traceOrHalve(requests.slice(0, half), signal)),
        ...(await traceOrHalve(requests.slice(half), signal)),
      ];
    }
  };

  return async (anchors, signal) => {
    const parsed = anchors.map((anchor) => schema.safeParse(anchor));
    const good = parsed.flatMap(({ data }) => data ?? []);
    const traced: Result[] = [];
    while (traced.length < good.length)
      traced.push(...(await traceOrHalve(good.slice(traced.length, traced.length + size), signal)));
    const results = traced.values();
    return parsed.map(({ success }) => (success ? (results.next().value ?? TOOK_TOO_LONG) : NOT_VALID));
  };
};

const TOOK_TOO_LONG: Result = {
  refused: { code: 'timeout', field: '', message: 'The answer took too long. It is free.' },
};
/** It was checked when it was asked for, by rules that are others now. */
const NOT_VALID: Result = {
  refused: { code: 'invalid_request', field: '', message: 'The anchor is not valid any more.' },
};

/** As `POST /trace` shows it, without the list of wallets that were searched, which would be most of it; and what it rests on. */
const presentTraced = (one: Traced): Result => {
  if ('refused' in one) {
    const { code, field, message } = one.refused;
    return { refused: { code, field, message } };
  }
  const presented = presentTrace(one.trace, { gap: null });
  const answer = { ...presented, window: { ...presented.window, searched: [] } };
  const labels = [...one.basis.labels].map(
    ([address, label]) => [presentAddress(one.trace.chain, address), label] as const,
  );
  const basis = { labels: Object.fromEntries(labels), prices: Object.fromEntries(one.basis.prices) };
  return { answer, basis };
};
