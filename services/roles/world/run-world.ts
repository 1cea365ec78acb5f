import { systemClock } from '../../platform/clock.ts';
import type { ChainToFollow } from '../ingest/start-ingest.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import type { Store } from '../store/open-store.ts';
import { loadWorldLabels } from './load-world-labels.ts';
import { type RunningWorld, startWorld } from './start-world.ts';

/** The generated world with its labels. */
export const runWorld = async ({ config, closing }: ServiceProcess, store: Store): Promise<RunningWorld> => {
  const world = await startWorld({ seed: config.worldSeed, truthFolder: store.folder });
  closing('world', CLOSE.world, () => world.stop());
  await loadWorldLabels(store, world, systemClock, new AbortController().signal);
  return world;
};

export const chainsOfWorld = ({ url, ranges }: Pick<RunningWorld, 'url' | 'ranges'>): ChainToFollow[] =>
  Object.entries(ranges).map(([name, { first }]) => ({
    name,
    rpcUrls: [`${url}/${name}`],
    websocketUrl: null,
    commitment: 'finalized',
    start: first,
    isLive: false,
  }));
