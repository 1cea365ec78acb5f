import { HOURS_TO_READ } from './touched-hours.ts';

/** A chain can have tens of millions of assets, which are more than a statement has memory for. */
const TRADED = `
  SELECT chain, arrayJoin([asset, quote]) FROM market_trades WHERE (chain, hour) IN (${HOURS_TO_READ})`;

/** Decimals of the assets of a run's trades, where a list, a block or the token itself says them, to be joined by chain and asset. */
export const TRADED_DECIMALS = `
  SELECT chain, asset, max(decimals) AS decimals FROM
  (
    SELECT toString(blocks.chain) AS chain, asset, decimals FROM assets AS blocks
    WHERE (blocks.chain, asset) IN (${TRADED})
    UNION ALL
    SELECT toString(claims.chain), asset, decimals FROM asset_claims AS claims FINAL
    WHERE decimals >= 0 AND (claims.chain, asset) IN (${TRADED})
      AND (claims.chain, asset) NOT IN (SELECT chain, asset FROM assets WHERE (chain, asset) IN (${TRADED}))
    UNION ALL
    SELECT fact.1 AS chain, fact.2 AS asset, fact.3 AS decimals FROM
      (SELECT arrayJoin(arrayZip({known_chains:Array(String)}, {known:Array(String)}, {known_decimals:Array(Int32)})) AS fact)
  )
  GROUP BY chain, asset`;
