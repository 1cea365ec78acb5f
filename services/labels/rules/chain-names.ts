import { guessChainFamily, parseAddress } from '../../investigate/model/address.ts';
import { type Chain, findChain } from '../../investigate/model/chain.ts';

/** Lists' names of chains: by name, coin or token, or chain id. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['1', 'ethereum'],
  ['eth', 'ethereum'],
  ['ether', 'ethereum'],
  ['erc20', 'ethereum'],
  ['mainnet', 'ethereum'],
  ['10', 'optimism'],
  ['op', 'optimism'],
  ['56', 'bsc'],
  ['bnb', 'bsc'],
  ['bep20', 'bsc'],
  ['binance_smart_chain', 'bsc'],
  ['137', 'polygon'],
  ['matic', 'polygon'],
  ['pol', 'polygon'],
  ['8453', 'base'],
  ['42161', 'arbitrum'],
  ['arb', 'arbitrum'],
  ['arbitrum_one', 'arbitrum'],
  ['sol', 'solana'],
]);

/** Tokens on many chains: only the address's form tells the chain. */
const TOKENS = new Set(['usdt', 'usdc', 'dai']);

/**
 * The chain that a list's word means; null if it is not served. Without a word, an address that is not of the EVM
 * form counts as Solana's.
 */
export const chainOf = (word: string, address: string): Chain | null => {
  const name = word.trim().toLowerCase().replaceAll(/[ -]+/g, '_');
  const solana = findChain('solana');
  if (name === '' && guessChainFamily(address) === 'solana') return solana;
  if (TOKENS.has(name) && guessChainFamily(address) === 'evm') return findChain('ethereum');
  if (TOKENS.has(name)) return solana && parseAddress(solana, address).ok ? solana : null;
  return findChain(ALIASES.get(name) ?? name);
};
