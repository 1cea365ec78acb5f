import { HOURS_TO_READ } from './touched-hours.ts';

/** A chain can have tens of millions of assets, too many for a statement's memory. */
const TRADED = `
  SELECT chain, arrayJoin([asset, quote]) FROM market_trades WHERE (chain, hour) IN (${HOURS_TO_READ})`;

/**
 * Decimals of the assets in a run's trades, joined by chain and asset: from the list, then from blocks, then
 * from the token itself.
 */
export const TRADED_DECIMALS = `
  SELECT chain, asset, argMax(said, (rank, said)) AS decimals FROM
  (
    SELECT toString(blocks.chain) AS chain, asset, decimals AS said, 1 AS rank FROM assets AS blocks
    WHERE (blocks.chain, asset) IN (${TRADED})
    UNION ALL
    SELECT toString(claims.chain), asset, decimals, 0 FROM asset_claims AS claims FINAL
    WHERE decimals >= 0 AND (claims.chain, asset) IN (${TRADED})
    UNION ALL
    SELECT fact.1, fact.2, fact.3, 2 FROM
      (SELECT arrayJoin(arrayZip({known_chains:Array(String)}, {known:Array(String)}, {known_decimals:Array(Int32)})) AS fact)
  )
  GROUP BY chain, asset`;
