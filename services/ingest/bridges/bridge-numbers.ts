import { type Chain, findChain } from '../../investigate/model/chain.ts';
import { encodeBase58 } from '../solana/encoding/base58.ts';

/** How a bridge numbers chains. */
type Numbering = 'chainId' | 'cctp' | 'wormhole' | 'debridge' | 'across' | 'layerZero';

/**
 * - CCTP's domains: https://developers.circle.com/cctp/concepts/supported-chains-and-domains
 * - Wormhole: https://wormhole.com/docs/products/reference/chain-ids/
 * - deBridge and Across number EVM chains as they do themselves, and others by numbers of their own:
 *   https://docs.debridge.com/dln-details/overview/supported-chains, https://docs.across.to/reference/supported-chains
 * - LayerZero's endpoints: https://docs.layerzero.network/v2/deployments/deployed-contracts
 */
const NUMBERS: Readonly<Record<string, Partial<Record<Numbering, bigint>>>> = {
  ethereum: { chainId: 1n, cctp: 0n, wormhole: 2n, layerZero: 30101n },
  optimism: { chainId: 10n, cctp: 2n, wormhole: 24n, layerZero: 30111n },
  bsc: { chainId: 56n, wormhole: 4n, layerZero: 30102n },
  polygon: { chainId: 137n, cctp: 7n, wormhole: 5n, layerZero: 30109n },
  base: { chainId: 8453n, cctp: 6n, wormhole: 30n, layerZero: 30184n },
  arbitrum: { chainId: 42161n, cctp: 3n, wormhole: 23n, layerZero: 30110n },
  solana: { cctp: 5n, wormhole: 1n, debridge: 7565164n, across: 34268394551451n, layerZero: 30168n },
};

const numberIn = (numbering: Numbering, chain: string): bigint | undefined => {
  const numbers = NUMBERS[chain];
  const own = numbering === 'debridge' || numbering === 'across' ? numbers?.chainId : undefined;
  return numbers?.[numbering] ?? own;
};

/** null if the service does not know the chain. */
export const chainNumbered = (numbering: Numbering, number: bigint | number): Chain | null => {
  const name = Object.keys(NUMBERS).find((chain) => numberIn(numbering, chain) === BigInt(number));
  return name === undefined ? null : findChain(name);
};

/** null if the bridge does not serve the chain. */
export const numberOfChain = (numbering: Numbering, chain: string): bigint | null =>
  numberIn(numbering, chain) ?? null;

const SOLANA_BYTES = 32;
const EVM_DIGITS = 40;

/**
 * An address in hex as messages carry it between chains: bare, or in a 32-byte word. null if it is not of the
 * chain.
 */
export const toChainAddress = (chain: Chain | null, hex: string): string | null => {
  if (chain === null) return null;
  const digits = hex.replace(/^0x/, '').toLowerCase();
  if (chain.family === 'evm')
    return /^(0{24})?[0-9a-f]{40}$/.test(digits) ? `0x${digits.slice(-EVM_DIGITS)}` : null;
  const bytes = Buffer.from(digits, 'hex');
  return bytes.length === SOLANA_BYTES ? encodeBase58(bytes, 0, SOLANA_BYTES) : null;
};
