import { presentTrace } from '../../services/api/trace/presenter.ts';
import type { BulkOptions } from '../../services/demo-world/bulk-transfers.ts';
import { WINDOW_MAX_SECONDS } from '../../services/investigate/trace/rules.ts';
import { trace } from '../../services/investigate/trace/trace.ts';
import type { TraceRequest } from '../../services/investigate/trace/trace-answer.ts';
import { systemClock } from '../../services/platform/clock.ts';
import type { HeldLabels } from '../../services/warehouse/labels/held-labels.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createTraceReader } from '../../services/warehouse/read/create-trace-reader.ts';
import { type BenchStore, secondsOf, withHeldLabels, withStore } from './bench-store.ts';
import { chooseRequests, chooseService, nameServices } from './busy-service.ts';
import type { Bench, Figure } from './figure.ts';
import { fillTables } from './fill-tables.ts';
import { numberOptions } from './number-options.ts';
import { type Measured, toFigures } from './trace-figures.ts';

const TRANSFERS = 10_000_000;
const SEED = 1;
const WARM_UP = 20;
const TRACES = 200;
const ASKED = ['account_entries', 'service_entries', 'transactions'];
/** A week around transfers into a service, over tables of this many transfers, each with a `SELECT 1`. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const bulk: BulkOptions = {
    seed: SEED,
    chain: 'solana',
    ...numberOptions(argv, { transfers: [TRANSFERS] }),
  };
  return withStore(async (bench) => {
    await nameServices(bench, bulk);
    await fillTables(bench, { bulk, asked: ASKED });
    const service = await chooseService(bench);
    const requests = await chooseRequests(bench, service, {
      limit: TRACES + WARM_UP,
      windowSeconds: WINDOW_MAX_SECONDS,
    });
    return toFigures(await withHeldLabels(bench, (held) => measure(bench, requests, held)), {
      ...bulk,
      ...service,
    });
  });
};

const measure = async (
  { warehouse }: BenchStore,
  requests: readonly TraceRequest[],
  held: HeldLabels,
): Promise<Measured> => {
  const reader = createTraceReader(warehouse.reader, systemClock, held);
  const prices = createPriceReader(warehouse.reader);
  const measured: Measured = { tracesMs: [], selectsMs: [], fits: [] };
  for (const [at, request] of requests.entries()) {
    const selectMs = await timeMs(async () => {
      const answer = await warehouse.reader.query({ query: 'SELECT 1', format: 'JSONCompact' });
      await answer.json();
    });
    const traceMs = await timeMs(async () => {
      const found = await trace(request, { reader, prices, signal: AbortSignal.timeout(60_000) });
      measured.fits.push(presentTrace(found, { gap: null }).anonymity_set);
    });
    if (at < WARM_UP) continue;
    measured.selectsMs.push(selectMs);
    measured.tracesMs.push(traceMs);
  }
  return measured;
};

const timeMs = async (action: () => Promise<void>): Promise<number> => 1_000 * (await secondsOf(action));

export const bench: Bench = { name: 'trace', run };
