import { systemClock } from '../../platform/clock.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { createHttpPriceSource } from '../../prices/price-source.ts';
import type { ChainToFollow } from '../ingest/start-ingest.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import type { Store } from '../store/open-store.ts';
import { type RunningDerivation, startDerivation } from './start-derivation.ts';
import { startDescribing } from './start-describing.ts';
import { startPriceSource } from './start-price-source.ts';

/** Facts need not be younger than this. */
const DERIVE_EVERY_MS = 15_000;

type Deriving = Pick<ServiceProcess, 'logger' | 'metrics' | 'closing'> & {
  readonly config: Pick<ServiceProcess['config'], 'pricesUrl' | 'derivePercent'>;
};

/** The role `derive`: facts from the tables, token descriptions from nodes, and prices from an outside source. */
export const runDerivation = (
  { config, logger, metrics, closing }: Deriving,
  store: Store,
  warehouse: Warehouse,
  chains: readonly ChainToFollow[],
): RunningDerivation => {
  const over = { store, warehouse, logger };
  const pace = { everyMs: DERIVE_EVERY_MS, percent: config.derivePercent };
  const derivation = startDerivation({ ...over, chains, clock: systemClock, metrics, pace });
  const describing = startDescribing({ ...over, chains });
  const source = config.pricesUrl && createHttpPriceSource({ url: config.pricesUrl });
  const fetching = source && startPriceSource({ ...over, source });
  closing('derivation', CLOSE.derivation, async () => {
    await Promise.all([derivation.stop(), describing.stop(), fetching?.stop()]);
  });
  return derivation;
};
