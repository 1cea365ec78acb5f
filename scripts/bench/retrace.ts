import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkOptions } from '../../services/demo-world/bulk-transfers.ts';
import type { PriceReader } from '../../services/investigate/model/price-reader.ts';
import type { TraceReader } from '../../services/investigate/model/trace-reader.ts';
import { traceTogether } from '../../services/investigate/trace/together/trace-together.ts';
import { trace } from '../../services/investigate/trace/trace.ts';
import type { TraceRequest } from '../../services/investigate/trace/trace-answer.ts';
import { systemClock } from '../../services/platform/clock.ts';
import type { TraceAnchors } from '../../services/retrace/worker-ports.ts';
import { createTraceAnchors } from '../../services/roles/retrace/trace-anchors.ts';
import { withoutHaste } from '../../services/roles/retrace/without-haste.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createTraceReader } from '../../services/warehouse/read/create-trace-reader.ts';
import { say, secondsOf, withHeldLabels, withStore } from './bench-store.ts';
import { chooseRequests, chooseService, nameServices } from './busy-service.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { fillTables } from './fill-tables.ts';
import { numberOptions } from './number-options.ts';
import { percentile } from './percentile.ts';

const TRANSFERS = 100_000;
const ANCHORS = 128;
const WAVE = 256;
const ALONE = 16;
const ROUNDS = 3;
/** The pause between a waiting caller's requests. */
const PAUSE_MS = 50;
const ASKED = ['account_entries', 'service_entries', 'transactions'];

type Readers = { readonly reader: TraceReader; readonly prices: PriceReader };

/**
 * Anchors of a busy exchange and a busy mixer in their usual windows: together, one by one, and one by one during
 * a batch.
 */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { transfers, anchors } = numberOptions(argv, { transfers: [TRANSFERS], anchors: [ANCHORS] });
  const figures: Figure[] = [];
  for (const kind of ['exchange', 'mixer'] as const)
    figures.push(...(await measureKind({ seed: 1, chain: 'solana', transfers }, kind, anchors)));
  return figures;
};

const measureKind = (bulk: BulkOptions, kind: 'exchange' | 'mixer', count: number): Promise<Figure[]> =>
  withStore(async (bench) => {
    await nameServices(bench, bulk, kind);
    await fillTables(bench, { bulk, asked: ASKED });
    const service = await chooseService(bench);
    const all = await chooseRequests(bench, service, { limit: count + ALONE, windowSeconds: null });
    const [some, anchors] = [all.slice(0, ALONE), all.slice(ALONE)];
    return withHeldLabels(bench, async (held) => {
      const { reader: client } = bench.warehouse;
      const readers = {
        reader: createTraceReader(client, systemClock, held),
        prices: createPriceReader(client),
      };
      await traceEach(some, readers);
      const idleMs = await traceEach(some, readers);
      const seconds = await secondsOf(() => traceAll(anchors, readers));
      say(`${kind}: ${anchors.length} anchors in ${seconds.toFixed(1)} s`);
      const slow = withoutHaste(client);
      const paced = createTraceAnchors({
        reader: createTraceReader(slow, systemClock, held),
        prices: createPriceReader(slow),
        clock: systemClock,
        onError: (error) => say(String(error)),
      });
      const ratios: number[] = [];
      // Alternating, so that the machine's other load affects both.
      for (let round = 0; round < ROUNDS; round++) {
        const idle = percentile(await traceEach(some, readers), 0.99);
        ratios.push(percentile(await traceMeanwhile(some, anchors, readers, paced), 0.99) / idle);
        say(`${kind}: calls beside a job take ${ratios.at(-1)?.toFixed(2)} times as long (p99)`);
      }
      const aloneSeconds = idleMs.reduce((sum, ms) => sum + ms, 0) / 1_000 / idleMs.length;
      const details = { ...bulk, ...service, anchors: anchors.length };
      const goal = kind === 'mixer' ? 5_000 : 2_000;
      const describe = (name: string, unit: string, value: number, met: object): Figure => ({
        ...toFigure({ name: `retrace.${name}`, subject: kind, unit, ...met }, [value]),
        details,
      });
      return [
        describe('anchors_per_s', 'anchors/s', anchors.length / seconds, { atLeast: goal }),
        describe('over_one_by_one', 'times', (aloneSeconds * anchors.length) / seconds, { atLeast: 30 }),
        {
          ...toFigure(
            { name: 'retrace.interactive_p99_ratio', subject: kind, unit: 'times', atMost: 2 },
            ratios,
          ),
          details,
        },
      ];
    });
  });

const traceAll = async (
  anchors: readonly TraceRequest[],
  readers: Readers,
  signal = new AbortController().signal,
): Promise<void> => {
  for (let at = 0; at < anchors.length && !signal.aborted; at += WAVE)
    await traceTogether(anchors.slice(at, at + WAVE), { ...readers, signal });
};

/** One after the other; the time of each. */
const traceEach = async (requests: readonly TraceRequest[], readers: Readers): Promise<number[]> => {
  const tookMs: number[] = [];
  for (const request of requests) {
    const { signal } = new AbortController();
    tookMs.push(
      1_000 * (await secondsOf(() => trace(request, { ...readers, signal }, { timeoutMs: 60_000 }))),
    );
    await sleep(PAUSE_MS);
  }
  return tookMs;
};

/** The same while the job worker traces the anchors repeatedly at its own pace. */
const traceMeanwhile = async (
  requests: readonly TraceRequest[],
  anchors: readonly TraceRequest[],
  readers: Readers,
  trace: TraceAnchors,
): Promise<number[]> => {
  const ending = new AbortController();
  const bodies = anchors.map(toBody);
  const tracing = (async () => {
    while (!ending.signal.aborted) await trace(bodies, ending.signal);
  })();
  const tookMs = await traceEach(requests, readers);
  ending.abort();
  // Cancels the running work.
  await tracing.catch(() => undefined);
  return tookMs;
};

/** As a job is asked for it; the transaction says the rest. */
const toBody = ({ chain, wallet, counterparty, signature, direction }: TraceRequest) => ({
  ...{ chain: chain.name, wallet, counterparty, signature, direction },
});

export const bench: Bench = { name: 'retrace', run };
