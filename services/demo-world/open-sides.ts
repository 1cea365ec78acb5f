import { NATIVE } from '../investigate/model/movement.ts';
import type { ChainSide, Stage, TokenInfo, WorldBlock } from './chain-side.ts';
import { createEvmWriter } from './evm-writer/create-evm-writer.ts';
import { createSolanaWriter } from './solana-writer/create-solana-writer.ts';
import type { Writer } from './writer.ts';

type Known = {
  readonly coin: string;
  readonly coinDecimals: number;
  readonly coinUsd: number;
  readonly usdc: string;
  readonly usdt: string;
  readonly tokenDecimals: number;
};

const SOLANA: Known = {
  coin: 'SOL',
  coinDecimals: 9,
  coinUsd: 148,
  usdc: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  usdt: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  tokenDecimals: 6,
};
const ETHEREUM: Known = {
  coin: 'ETH',
  coinDecimals: 18,
  coinUsd: 2_480,
  usdc: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  usdt: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  tokenDecimals: 18,
};
/** Traded tokens: name, first price in dollars, volatility an hour. */
const TOKENS: readonly (readonly [string, number, number])[] = [
  ['ALP', 7.4, 0.008],
  ['BRK', 0.62, 0.012],
  ['CDR', 31, 0.01],
  ['DUNE', 0.0041, 0.02],
];
const COIN_VOLATILITY = 0.005;
const PRICE_LINE_SECONDS = 3_600;

const openSide = (stage: Stage, writer: Writer<WorldBlock>, known: Known): ChainSide => {
  const { truth, prices } = stage;
  const add = (symbol: string, decimals: number, address?: string, feeBasisPoints = 0): TokenInfo => {
    const options =
      address === undefined ? { decimals, feeBasisPoints } : { decimals, feeBasisPoints, address };
    const asset = writer.addToken(options);
    const counterfeit = symbol === 'USDC' && address === undefined;
    // The chains' tokens share names but have prices of their own.
    const shown = symbol.split('.')[0] ?? symbol;
    truth.line({ type: 'asset', chain: writer.chain, asset, symbol: shown, decimals, counterfeit });
    return { asset, symbol: counterfeit ? 'counterfeit' : symbol, decimals };
  };
  const scoped = (symbol: string): string => `${symbol}.${writer.chain}`;
  prices.add(known.coin, known.coinUsd, COIN_VOLATILITY);
  for (const [symbol, usd, volatility] of TOKENS) prices.add(scoped(symbol), usd, volatility);
  const native: TokenInfo = { asset: NATIVE, symbol: known.coin, decimals: known.coinDecimals };
  const usdc = add('USDC', 6, known.usdc);
  const usdt = add('USDT', 6, known.usdt);
  const tokens = TOKENS.map(([symbol]) => add(scoped(symbol), known.tokenDecimals));
  const counterfeit = add('USDC', 6);
  const taxed = writer.family === 'solana' ? add('TAXED', 6, undefined, 150) : null;
  prices.add('counterfeit', 0.000_001, 0);
  prices.add('TAXED', 0.3, 0.01);
  const infos = new Map(
    [native, usdc, usdt, ...tokens, counterfeit, ...(taxed === null ? [] : [taxed])].map((info) => [
      info.asset,
      info,
    ]),
  );
  infos.set(writer.wrapped, native);
  return {
    chain: writer.chain,
    writer,
    native,
    usdc,
    usdt,
    tokens,
    counterfeit,
    taxed,
    infoOf: (asset) => infos.get(asset) ?? { asset, symbol: 'launched', decimals: 6 },
  };
};

/** True prices are recorded hourly; in between they are linear. */
const tellPrices = (stage: Stage, side: ChainSide): void => {
  const end = stage.startUnixSeconds + stage.days * 86_400;
  for (let time = stage.startUnixSeconds; time <= end; time += PRICE_LINE_SECONDS) {
    for (const { asset, symbol } of [side.native, side.usdc, side.usdt, ...side.tokens]) {
      const usd = stage.prices.usd(symbol, time);
      stage.truth.line({ type: 'price', chain: side.chain, asset, time, usd });
    }
  }
};

export const openSides = (stage: Stage, seed: number): { solana: ChainSide; ethereum: ChainSide } => {
  const solana = openSide(
    stage,
    createSolanaWriter({
      chain: 'solana',
      seed,
      random: stage.random.fork('solana writer'),
      validators: 5,
      firstHeight: 230_000_000,
    }),
    SOLANA,
  );
  const ethereum = openSide(
    stage,
    createEvmWriter({ chain: 'ethereum', chainId: 1, seed, random: stage.random.fork('evm writer') }),
    ETHEREUM,
  );
  for (const side of [solana, ethereum]) tellPrices(stage, side);
  return { solana, ethereum };
};
