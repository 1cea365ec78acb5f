import { findProgramAddress } from '../solana/encoding/program-address.ts';

/** https://wormhole.com/docs/products/reference/contract-addresses/ */
export const SOLANA_TOKEN_BRIDGE = 'wormDTUJ6AWPNvk59vGQbDvGJmqbDTdgWgAqcLBCgUb';
/**
 * The account that Solana's token bridge creates when it pays a message out, so that it pays once. It is
 * derived from the message's number, and is all that a redemption shows of it.
 */
export const wormholeClaim = (chain: bigint | number, emitter: string, sequence: bigint): string => {
  const seeds = Buffer.alloc(42);
  seeds.write(emitter.replace(/^0x/, '').padStart(64, '0'), 0, 'hex');
  seeds.writeUInt16BE(Number(chain), 32);
  seeds.writeBigUInt64BE(sequence, 34);
  return findProgramAddress(seeds, SOLANA_TOKEN_BRIDGE);
};

/** The number of a message to Solana, on both sides. */
export const claimedBy = (account: string): string => `claim/${account}`;
