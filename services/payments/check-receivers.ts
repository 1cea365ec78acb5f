import { isAddress as isSolanaAddress } from '@solana/kit';
import { isAddress as isEvmAddress } from 'viem/utils';
import { ConfigError } from '../platform/config/config.ts';
import type { PaymentNetwork } from '../platform/config/x402.ts';
import { isSolana } from './is-solana.ts';

/**
 * Money sent to a mistyped address is lost. Lower-case EVM addresses and Solana addresses have no checksum, so a
 * wrong digit is not found there. Throws `ConfigError`.
 */
export const checkReceivers = (networks: readonly PaymentNetwork[]): void => {
  const problems = networks.flatMap(({ network, payTo }) => {
    if (isSolana(network) ? isSolanaAddress(payTo) : isEvmAddress(payTo)) return [];
    const why = isSolana(network)
      ? 'is not base58 of 32 bytes'
      : 'fails its EIP-55 checksum: a digit is probably wrong';
    return [{ variable: 'X402_PAY_TO', problem: `the address for ${network} ${why}` }];
  });
  if (problems.length > 0) throw new ConfigError(problems);
};
