import { existsSync } from 'node:fs';
import type { Config } from '../platform/config.ts';
import { type StoreName, storeFolder } from './open-store.ts';

/** Real chains where some are configured or block files were replayed; the generated world otherwise. */
export const chooseStore = (config: Config): StoreName =>
  config.chains.length > 0 || existsSync(storeFolder(config.dataFolder, 'chain'))
    ? 'chain'
    : `world-${config.worldSeed}`;
