import { ASSET_PARAMS, isPegged } from './asset-facts.ts';
import { deleteReplaced } from './delete-replaced.ts';
import { type Derivation, deriveInSlices, inSlices } from './derivation.ts';
import { NEW_BLOCKS, NEW_ROWS } from './settled.ts';

/**
 * Every swap from both sides when the other side is money: a stablecoin, or the chain's coin for all assets
 * but stablecoins. Only an owner's single swap in a transaction is a price (docs/decisions/0003-swaps.md).
 */
const TRADES = `
INSERT INTO market_trades
SELECT chain, toStartOfHour(block_time), side.1 AS asset, side.2 AS quote, block_time, block_number, tx_index, index,
  side.3, side.4, side.5
FROM
(
  SELECT *, count() OVER (PARTITION BY chain, block_number, tx_index, owner) AS swaps_of_owner
  FROM swaps WHERE ${NEW_ROWS}
)
ARRAY JOIN [
  (gave_family, got_family, false, gave_amount, got_amount),
  (got_family, gave_family, true, got_amount, gave_amount)] AS side
WHERE swaps_of_owner = 1 AND gave_amount > 0 AND got_amount > 0 AND gave_family != got_family
  AND (${isPegged('side.2')} OR (side.2 = 'native' AND NOT ${isPegged('side.1')}))`;

/** Trades of replaced blocks: they are about as old as those of the new blocks. */
const REPLACED = {
  table: 'market_trades',
  key: 'toString(block_number)',
  query: `
SELECT DISTINCT chain, block_number FROM market_trades
WHERE (chain, block_number) IN (${NEW_BLOCKS})
  AND (chain, hour) IN (
    SELECT chain, toStartOfHour(time + arrayJoin([-3600, 0, 3600])) FROM blocks WHERE (chain, number) IN (${NEW_BLOCKS}))`,
};

export const TRADE_RULES: readonly unknown[] = [TRADES, ASSET_PARAMS];

export const marketTrades: Derivation = {
  name: 'market-trades',
  rules: TRADE_RULES,
  tables: ['market_trades'],
  run: async (run) => {
    if (!run.isFirst) await inSlices(run, (slice) => deleteReplaced(run, REPLACED, slice));
    await deriveInSlices(run, TRADES, ASSET_PARAMS);
  },
};
