export type KnownAsset = {
  readonly chain: string;
  /** Lower case on EVM chains. */
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
  /** One unit is held to be one US dollar. */
  readonly stablecoin: boolean;
};

const token = (chain: string, symbol: string, decimals: number, asset: string): KnownAsset => ({
  chain,
  asset,
  symbol,
  decimals,
  stablecoin: false,
});

const dollar = (...of: Parameters<typeof token>): KnownAsset => ({ ...token(...of), stablecoin: true });

/**
 * Dollar stablecoins, by the lists their issuers publish. Anybody can name a token USDC: only these contracts are it.
 * - USDC: https://developers.circle.com/stablecoins/usdc-contract-addresses
 * - USDT: https://tether.to/en/supported-protocols; bridged forms by the bridge's own list, named beside them
 * - tokens at the end, whose contracts log only transfers that were: by their issuers' own documentation, named beside them
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

  // https://wbtc.network/dashboard/order-book
  token('ethereum', 'WBTC', 8, '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'),
  token('arbitrum', 'WBTC', 8, '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f'),
  token('optimism', 'WBTC', 8, '0x68f180fcce6836688e9084f035309e29bf0a2095'),
  token('polygon', 'WBTC', 8, '0x1bfd67037b42cf73acf2047067bd4f2c47d9bfd6'),
  // https://www.coinbase.com/cbbtc, https://www.coinbase.com/cbeth
  token('ethereum', 'cbBTC', 8, '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf'),
  token('base', 'cbBTC', 8, '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf'),
  token('ethereum', 'cbETH', 18, '0xbe9895146f7af43049ca1c1ae358b0541ea49704'),
  token('base', 'cbETH', 18, '0x2ae3f1ec7f1f5012cfeab0185bfc7aa3cf0dec22'),
  // https://docs.lido.fi/deployed-contracts
  token('ethereum', 'stETH', 18, '0xae7ab96520de3a18e5e111b5eaab095312d7fe84'),
  token('ethereum', 'wstETH', 18, '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0'),
  token('ethereum', 'LDO', 18, '0x5a98fcbea516cf06857215779fd812ca3bef1b32'),
  token('base', 'wstETH', 18, '0xc1cba3fcea344f92d9239c08c0568f6f2f0ee452'),
  token('arbitrum', 'wstETH', 18, '0x5979d7b546e38e414f7e9822514be443a4800529'),
  token('optimism', 'wstETH', 18, '0x1f32b1c2345538c0c6f582fcb022739c4a194ebb'),
  // https://docs.rocketpool.net/overview/contracts-integrations
  token('ethereum', 'rETH', 18, '0xae78736cd615f374d3085123a210448e74fc6393'),
  // https://docs.chain.link/resources/link-token-contracts
  token('ethereum', 'LINK', 18, '0x514910771af9ca656af840dff83e8264ecf986ca'),
  token('arbitrum', 'LINK', 18, '0xf97f4df75117a78c1a5a0dbb814af92458539fb4'),
  token('optimism', 'LINK', 18, '0x350a791bfc2c21f9ed5d10980dad2e2638ffa7f6'),
  token('polygon', 'LINK', 18, '0x53e0bca35ec356bd5dddfebbd1fc0fd03fabad39'),
  // https://docs.uniswap.org/concepts/governance/overview
  token('ethereum', 'UNI', 18, '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984'),
  // https://aave.com/docs
  token('ethereum', 'AAVE', 18, '0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9'),
  // https://chainlog.sky.money
  token('ethereum', 'MKR', 18, '0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2'),
  // https://docs.curve.finance
  token('ethereum', 'CRV', 18, '0xd533a949740bb3306d119cc777fa900ba034cd52'),
  // https://docs.compound.finance/v2/#networks
  token('ethereum', 'COMP', 18, '0xc00e94cb662c3520282e6f5717214004a7f26888'),
  // https://etherscan.io/token/0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce
  token('ethereum', 'SHIB', 18, '0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce'),
  // https://etherscan.io/token/0x6982508145454ce325ddbe47a25d4ec3d2311933
  token('ethereum', 'PEPE', 18, '0x6982508145454ce325ddbe47a25d4ec3d2311933'),
  // https://docs.arbitrum.foundation
  token('arbitrum', 'ARB', 18, '0x912ce59144191c1204e64559fe8253a0e49e6548'),
  // https://docs.optimism.io
  token('optimism', 'OP', 18, '0x4200000000000000000000000000000000000042'),
  // https://polygonscan.com/token/0x7ceb23fd6bc0add59e62ac25578270cff1b9f619 (the chain's own bridge)
  token('polygon', 'WETH', 18, '0x7ceb23fd6bc0add59e62ac25578270cff1b9f619'),
  // https://www.binance.com/en/collateral-btokens
  token('bsc', 'ETH', 18, '0x2170ed0880ac9a755fd29b2688956bd959f933f8'),
  token('bsc', 'BTCB', 18, '0x7130d2a12b9bcbfae4f2634d864a1ee1ce3ead9c'),
  // https://docs.pancakeswap.finance
  token('bsc', 'CAKE', 18, '0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82'),
];
