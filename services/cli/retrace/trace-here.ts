import { presentTraced } from '../../api/retrace/present-traced.ts';
import { traceTogether } from '../../investigate/trace/together/trace-together.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logger.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { followLabels } from '../../roles/api/follow-labels.ts';
import type { Store } from '../../roles/store/open-store.ts';
import type { Trace } from '../../sdk/create-spoor.ts';
import { createPriceReader } from '../../warehouse/read/assets/price.ts';
import { createTraceReader } from '../../warehouse/read/create-trace-reader.ts';
import { type Tracer, withoutSearched } from './result.ts';

const WAVE = { first: 64, min: 8, max: 1_024 } as const;
/** Maximum transfers of one wave in memory. */
const FITS_PER_WAVE = 200_000;

/** Traces many anchors at once over a store's tables. */
export const createTracerHere = async (store: Store, client: WarehouseClient): Promise<Tracer> => {
  const held = await followLabels({ store, logger: createLogger({ level: 'warn' }) });
  await held.untilRead;
  const reader = createTraceReader(client, systemClock, held);
  const prices = createPriceReader(client);
  let wave: number = WAVE.first;
  return {
    waveSize: () => wave,
    trace: async (anchors, signal) => {
      const requests = anchors.map(({ request }) => request);
      const traced = await traceTogether(requests, { reader, prices, signal });
      const read = traced.reduce((sum, one) => sum + ('trace' in one ? one.trace.window.transactions : 0), 0);
      const fitting = Math.floor(FITS_PER_WAVE / Math.max(1, read / anchors.length));
      wave = Math.max(WAVE.min, Math.min(WAVE.max, fitting, 2 * wave));
      return traced.map((one) => {
        const result = presentTraced(one);
        return 'refused' in result ? result : { ...result, answer: withoutSearched(result.answer as Trace) };
      });
    },
    close: () => held.stop(),
  };
};
