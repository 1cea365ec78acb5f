import { decodeBase58 } from './base58.ts';
import type { Chain, ChainFamily } from './chain.ts';

const SOLANA_BYTES = 64;
// 64 bytes take 64 (all zero) to 88 base58 characters.
const SOLANA_LENGTH_MIN = 64;
const SOLANA_LENGTH_MAX = 88;
const EVM_FORM = /^0x[0-9a-fA-F]{64}$/;

/** Normalises a transaction hash as people write it; null when it does not have the chain's form. */
export const parseSignature = ({ family }: Chain, text: string): string | null => {
  if (!isSignature(family, text)) return null;
  return family === 'evm' ? text.toLowerCase() : text;
};

export const isSignature = (family: ChainFamily, text: string): boolean => {
  if (family === 'evm') return EVM_FORM.test(text);
  const fits = text.length >= SOLANA_LENGTH_MIN && text.length <= SOLANA_LENGTH_MAX;
  return fits && decodeBase58(text)?.length === SOLANA_BYTES;
};
