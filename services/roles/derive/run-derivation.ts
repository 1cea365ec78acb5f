import { systemClock } from '../../platform/clock.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { createHttpPriceSource } from '../../prices/price-source.ts';
import type { ChainToFollow } from '../ingest/start-ingest.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import type { Store } from '../store/open-store.ts';
import { type RunningDerivation, startDerivation } from './start-derivation.ts';
import { startDescribing } from './start-describing.ts';
import { startPriceSource } from './start-price-source.ts';

type Deriving = Pick<ServiceProcess, 'logger' | 'metrics' | 'closing'> & {
  readonly config: Pick<ServiceProcess['config'], 'pricesUrl'>;
};

/** The role `derive`: facts from the tables, token descriptions from nodes, and prices from an outside source. */
export const runDerivation = (
  { config, logger, metrics, closing }: Deriving,
  store: Store,
  warehouse: Warehouse,
  chains: readonly ChainToFollow[],
): RunningDerivation => {
  const over = { store, warehouse, logger };
  const derivation = startDerivation({ ...over, chains, clock: systemClock, metrics });
  const describing = startDescribing({ ...over, chains });
  const source = config.pricesUrl && createHttpPriceSource({ url: config.pricesUrl });
  const fetching = source && startPriceSource({ ...over, source });
  closing('derivation', CLOSE.derivation, async () => {
    await Promise.all([derivation.stop(), describing.stop(), fetching?.stop()]);
  });
  return derivation;
};
