/** Normalises symbols, so that look-alike letters, spaces and web addresses cannot hide in them. */
const PLAIN_SYMBOL = '^[A-Za-z0-9$+_-]{1,20}$';

const bare = (symbol: string): string => `upper(replaceRegexpAll(${symbol}, '[^A-Za-z0-9]', ''))`;

/**
 * For each asset the facts that `describeAsset` gives: from the list of known assets, then from blocks, then
 * from the token's own name, as far as that can be trusted. A condition on chain and asset uses the keys of
 * all three tables.
 */
export const assetFacts = (database: string, where = 'true'): string => `
SELECT chain, asset,
  multiIf(max(is_listed), max(listed_symbol), match(max(claim), '${PLAIN_SYMBOL}') AND ${bare('max(claim)')} NOT IN
    (SELECT ${bare('symbol')} FROM ${database}.known_assets), max(claim), NULL) AS symbol,
  argMaxIf(found_decimals, rank, found_decimals >= 0) AS known_decimals,
  if(countIf(found_decimals >= 0) = 0, NULL, known_decimals) AS decimals,
  max(is_listed) AS listed,
  max(is_stablecoin) AS stablecoin,
  nullIf(max(claim), '') AS claimed_symbol
FROM
(
  SELECT toString(chain) AS chain, asset, decimals AS found_decimals, 3 AS rank, '' AS claim, symbol AS listed_symbol,
    true AS is_listed, stablecoin AS is_stablecoin
  FROM ${database}.known_assets WHERE ${where}
  UNION ALL
  SELECT toString(chain), asset, decimals, 2, '', '', false, false FROM ${database}.assets WHERE ${where}
  UNION ALL
  SELECT toString(chain), asset, decimals, 1, symbol, '', false, false FROM ${database}.asset_claims FINAL WHERE ${where}
)
GROUP BY chain, asset`;

/** Names the asset of each row of a table expression `t` that has a column `chain`. */
export const joinFacts = (
  database: string,
  { as, asset, where }: { as: string; asset: string; where?: string },
): string => `
LEFT ANY JOIN (${assetFacts(database, where)}) AS ${as} ON ${as}.chain = t.chain AND ${as}.asset = ${asset}`;
