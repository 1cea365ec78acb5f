export type ChainFamily = 'solana' | 'evm';

export type Chain = {
  readonly name: string;
  readonly family: ChainFamily;
  readonly native: { readonly symbol: string; readonly decimals: number };
  /**
   * The mint or contract whose token is the wrapped coin, lower case on EVM chains. On Solana movements
   * already call it `native`; elsewhere the tables keep both under one canonical asset.
   */
  readonly wrappedNative: string;
  readonly explorer: Explorer;
};

/** Where a person looks things up: what stands before an address, and before a transaction's hash. */
type Explorer = { readonly address: string; readonly transaction: string };

const explorerAt = (url: string, addressPath = 'address'): Explorer => ({
  address: `${url}/${addressPath}/`,
  transaction: `${url}/tx/`,
});

const ETHER = { symbol: 'ETH', decimals: 18 } as const;

/**
 * Every chain that the service supports. The configuration selects among them. Add new ones at the end: the place of a
 * chain is its partition in the log.
 */
export const CHAINS: readonly Chain[] = [
  {
    name: 'solana',
    family: 'solana',
    native: { symbol: 'SOL', decimals: 9 },
    // https://github.com/solana-program/token/blob/main/interface/src/native_mint.rs
    wrappedNative: 'So11111111111111111111111111111111111111112',
    explorer: explorerAt('https://solscan.io', 'account'),
  },
  {
    name: 'ethereum',
    family: 'evm',
    native: ETHER,
    // https://etherscan.io/token/0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2
    wrappedNative: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    explorer: explorerAt('https://etherscan.io'),
  },
  {
    name: 'base',
    family: 'evm',
    native: ETHER,
    // The OP stack's predeploy: https://specs.optimism.io/protocol/predeploys.html
    wrappedNative: '0x4200000000000000000000000000000000000006',
    explorer: explorerAt('https://basescan.org'),
  },
  {
    name: 'arbitrum',
    family: 'evm',
    native: ETHER,
    // https://docs.arbitrum.io/build-decentralized-apps/reference/contract-addresses
    wrappedNative: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
    explorer: explorerAt('https://arbiscan.io'),
  },
  {
    name: 'optimism',
    family: 'evm',
    native: ETHER,
    wrappedNative: '0x4200000000000000000000000000000000000006',
    explorer: explorerAt('https://optimistic.etherscan.io'),
  },
  {
    name: 'polygon',
    family: 'evm',
    native: { symbol: 'POL', decimals: 18 },
    // https://polygonscan.com/token/0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270
    wrappedNative: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
    explorer: explorerAt('https://polygonscan.com'),
  },
  {
    name: 'bsc',
    family: 'evm',
    native: { symbol: 'BNB', decimals: 18 },
    // https://bscscan.com/token/0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c
    wrappedNative: '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
    explorer: explorerAt('https://bscscan.com'),
  },
];

const BY_NAME = new Map(CHAINS.map((chain) => [chain.name, chain]));

export const findChain = (name: string): Chain | null => BY_NAME.get(name) ?? null;
