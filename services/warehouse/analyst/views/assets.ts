import { type AnalystView, MISSING_BEFORE, missingBefore } from '../analyst-view.ts';
import { assetFacts, joinFacts } from '../asset-facts.ts';
import { KEY_FORM, showAddress, shownColumn } from '../show-address.ts';
import { CHAIN } from './movements.ts';

const SYMBOL = ['symbol', 'Nullable(String)', 'null where nothing trustworthy names the asset'] as const;
const ASSET = [
  'asset',
  'String',
  `native for the coin and its wrapped form, else the token’s address: ${KEY_FORM}`,
] as const;

export const TOKENS: AnalystView = {
  name: 'tokens',
  comment: 'Each asset that was seen, named or listed. Key: chain, asset.',
  columns: [
    CHAIN,
    ['asset', 'String', `native for the coin, else the token’s address: ${KEY_FORM}`],
    SYMBOL,
    ['decimals', 'Nullable(Int32)', 'whole units are raw units divided by ten to this power; null: unknown'],
    ['listed', 'Bool', 'whether it is in the list of known assets'],
    ['stablecoin', 'Bool', 'listed as worth one dollar'],
    [
      'claimed_symbol',
      'Nullable(String)',
      'what the token calls itself; proves nothing, since anybody can call one USDC',
    ],
    [
      'first_seen',
      "Nullable(DateTime('UTC'))",
      'time of its first movement that is final; null where none is known',
    ],
    ['first_block', 'Nullable(UInt64)', 'the block of that movement'],
    MISSING_BEFORE,
    shownColumn('asset'),
  ],
  query: (database) => `
SELECT t.chain AS chain, t.asset AS asset, t.symbol AS symbol, t.decimals AS decimals, t.listed AS listed,
  t.stablecoin AS stablecoin, t.claimed_symbol AS claimed_symbol,
  if(firsts.seen, firsts.first.block_time, NULL) AS first_seen, if(firsts.seen, firsts.first.block_number, NULL) AS first_block,${missingBefore(database, 't.chain')},
  ${showAddress('t.asset')} AS asset_shown
FROM (${assetFacts(database)}) AS t
LEFT ANY JOIN
(
  SELECT toString(chain) AS chain, asset, min(token_firsts.first) AS first, true AS seen
  FROM ${database}.token_firsts GROUP BY chain, asset
) AS firsts
ON firsts.chain = t.chain AND firsts.asset = t.asset`,
};

export const PRICES: AnalystView = {
  name: 'prices',
  comment:
    'Dollars for one whole unit: of minutes and hours from trades, and as somebody imported them. Key: chain, asset.',
  columns: [
    ...[CHAIN, ASSET, SYMBOL],
    ['resolution', 'LowCardinality(String)', 'minute or hour of trades; import: given for that very time'],
    ['time', "DateTime('UTC')", 'where the minute or hour begins'],
    ['at', "DateTime('UTC')", 'the middle of its trades, by their worth'],
    ['usd', 'Float64', 'dollars for one whole unit'],
    ['volume_usd', 'Nullable(Float64)', 'what was traded, in dollars; null of imports'],
    ['trades', 'Nullable(UInt32)', 'how many trades it rests on; null of imports'],
    ['source', 'String', 'market, or the name of the imported list'],
  ],
  query: (database) => `
SELECT t.chain AS chain, t.asset AS asset, facts.symbol AS symbol, t.resolution AS resolution, t.time AS time, t.at AS at,
  t.usd AS usd, t.volume_usd AS volume_usd, t.trades AS trades, t.source AS source
FROM
(
  SELECT toString(chain) AS chain, toString(asset) AS asset, toString(resolution) AS resolution, time, at,
    assumeNotNull(usd) AS usd, volume_usd::Nullable(Float64) AS volume_usd, trades::Nullable(UInt32) AS trades, 'market' AS source
  FROM ${database}.prices FINAL WHERE isNotNull(prices.usd)
  UNION ALL
  SELECT toString(chain), toString(asset), 'import', time, time, usd, NULL, NULL, toString(source)
  FROM ${database}.imported_prices FINAL
) AS t${joinFacts(database, { as: 'facts', asset: 't.asset' })}`,
};
