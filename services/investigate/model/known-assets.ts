export type KnownAsset = {
  readonly chain: string;
  /** Lower case on EVM chains. */
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
  /** One unit is held to be one US dollar. */
  readonly stablecoin: boolean;
};

const dollar = (chain: string, symbol: string, decimals: number, asset: string): KnownAsset => ({
  chain,
  asset,
  symbol,
  decimals,
  stablecoin: true,
});

/**
 * Dollar stablecoins, by the lists their issuers publish. Anybody can name a token USDC: only these contracts are it.
 * - USDC: https://developers.circle.com/stablecoins/usdc-contract-addresses
 * - USDT: https://tether.to/en/supported-protocols; bridged forms by the bridge's own list, named beside them
 * - DAI: https://chainlog.sky.money; https://docs.optimism.io and https://docs.arbitrum.io name its bridged forms
 */
export const KNOWN_ASSETS: readonly KnownAsset[] = [
  dollar('solana', 'USDC', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  dollar('solana', 'USDT', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  // https://developer.paypal.com/community/blog/pyusd-on-solana/
  dollar('solana', 'PYUSD', 6, '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo'),

  dollar('ethereum', 'USDC', 6, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  dollar('ethereum', 'USDT', 6, '0xdac17f958d2ee523a2206206994597c13d831ec7'),
  dollar('ethereum', 'DAI', 18, '0x6b175474e89094c44da98b954eedeac495271d0f'),

  dollar('base', 'USDC', 6, '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'),
  // https://basescan.org/token/0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca (bridged before Circle issued on Base)
  dollar('base', 'USDbC', 6, '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca'),
  // https://basescan.org/token/0x50c5725949a6f0c72e6c4a641f24049a917db0cb
  dollar('base', 'DAI', 18, '0x50c5725949a6f0c72e6c4a641f24049a917db0cb'),

  dollar('arbitrum', 'USDC', 6, '0xaf88d065e77c8cc2239327c5edb3a432268e5831'),
  // https://arbiscan.io/token/0xff970a61a04b1ca14834a43f5de4533ebddb5cc8
  dollar('arbitrum', 'USDC.e', 6, '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8'),
  // https://arbiscan.io/token/0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9
  dollar('arbitrum', 'USDT', 6, '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9'),
  dollar('arbitrum', 'DAI', 18, '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1'),

  dollar('optimism', 'USDC', 6, '0x0b2c639c533813f4aa9d7837caf62653d097ff85'),
  // https://optimistic.etherscan.io/token/0x7f5c764cbc14f9669b88837ca1490cca17c31607
  dollar('optimism', 'USDC.e', 6, '0x7f5c764cbc14f9669b88837ca1490cca17c31607'),
  // https://optimistic.etherscan.io/token/0x94b008aa00579c1307b0ef2c499ad98a8ce58e58
  dollar('optimism', 'USDT', 6, '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58'),
  dollar('optimism', 'DAI', 18, '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1'),

  dollar('polygon', 'USDC', 6, '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'),
  // https://polygonscan.com/token/0x2791bca1f2de4661ed88a30c99a7a9449aa84174
  dollar('polygon', 'USDC.e', 6, '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'),
  // https://polygonscan.com/token/0xc2132d05d31c914a87c6611c10748aeb04b58e8f
  dollar('polygon', 'USDT', 6, '0xc2132d05d31c914a87c6611c10748aeb04b58e8f'),
  // https://polygonscan.com/token/0x8f3cf7ad23cd3cadbd9735aff958023239c6a063
  dollar('polygon', 'DAI', 18, '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063'),

  // https://bscscan.com/token/0x55d398326f99059ff775485246999027b3197955 (pegged by the exchange, 18 decimals)
  dollar('bsc', 'USDT', 18, '0x55d398326f99059ff775485246999027b3197955'),
  // https://bscscan.com/token/0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d
  dollar('bsc', 'USDC', 18, '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'),
  // https://bscscan.com/token/0xe9e7cea3dedca5984780bafc599bd69add087d56
  dollar('bsc', 'BUSD', 18, '0xe9e7cea3dedca5984780bafc599bd69add087d56'),
];
