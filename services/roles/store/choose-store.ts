import { existsSync } from 'node:fs';
import type { Config } from '../../platform/config/config.ts';
import { existingStores, type StoreName, storeFolder } from './open-store.ts';

/** Real chains if some are configured or block files were replayed, unless the demo is asked for; otherwise the generated world. */
export const chooseStore = (config: Config): StoreName =>
  !config.demo && (config.chains.length > 0 || existsSync(storeFolder(config.dataFolder, 'chain')))
    ? 'chain'
    : `world-${config.worldSeed}`;

/** The stores of a command: those with a folder here, and the one on other engines. */
export const storesHere = (config: Config): StoreName[] => {
  const elsewhere = config.kafka ? [chooseStore(config)] : [];
  return [...new Set([...existingStores(config.dataFolder), ...elsewhere])];
};
