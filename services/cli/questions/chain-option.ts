import { Option } from 'commander';
import { CHAINS } from '../../investigate/model/chain.ts';

export type ChainName = 'arbitrum' | 'base' | 'bsc' | 'ethereum' | 'optimism' | 'polygon' | 'solana';

/** `--chain`, the same for every question. */
export const chainOption = (): Option =>
  new Option('--chain <name>', 'its chain; default: told by the form of the address').choices(
    CHAINS.map(({ name }) => name),
  );
