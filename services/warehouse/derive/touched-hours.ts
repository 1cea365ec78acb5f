import { VISIBLE_ROWS } from '../sql-clauses.ts';
import { askOne, type DerivationRun, refill } from './derivation.ts';
import { COIN_HOURS, NEAR_HOURS } from './price-rules.ts';
import { NEW_EVENTS } from './settled.ts';

/** Hours whose prices may change, and the hours needed to compute them. */
export const TOUCHED_HOURS = 'SELECT chain, hour FROM touched_hours WHERE is_touched';
export const HOURS_TO_READ = 'SELECT chain, hour FROM touched_hours';

/** Hours of new blocks, or with trades of an asset that was described since. */
const NEW_HOURS = `
  SELECT DISTINCT chain, toStartOfHour(time) AS hour FROM blocks WHERE ${VISIBLE_ROWS} AND ${NEW_EVENTS}
  UNION ALL
  SELECT DISTINCT chain, hour FROM market_trades
  WHERE (chain, asset) IN (
    SELECT chain, asset FROM asset_claims WHERE ${NEW_EVENTS} AND (chain, asset) IN (SELECT chain, asset FROM market_trades))`;

/**
 * An hour belongs to the markets of the hours around it. Its coin prices value tokens that were paid in the
 * coin around it. And these trades belong to the markets of the hours around theirs.
 */
const TOUCHED_REACH = NEAR_HOURS + COIN_HOURS + NEAR_HOURS;
const READ_REACH = TOUCHED_REACH + NEAR_HOURS;

/** An hour without trades needs no price, unless it had one when it had trades. */
export const AROUND = `
INSERT INTO touched_hours
WITH around AS
(
  SELECT chain, new_hour + INTERVAL reach HOUR AS hour, max(abs(reach) <= ${TOUCHED_REACH}) AS is_touched
  FROM (SELECT chain, hour AS new_hour FROM (${NEW_HOURS}))
  ARRAY JOIN range(${-READ_REACH}, ${READ_REACH + 1}) AS reach
  GROUP BY chain, hour
)
SELECT chain, hour, is_touched FROM around
WHERE (chain, hour) IN (
  SELECT chain, hour FROM market_trades WHERE (chain, hour) IN (SELECT chain, hour FROM around)
  UNION ALL
  SELECT chain, time FROM prices
  WHERE resolution = 'hour' AND usd IS NOT NULL AND (chain, time) IN (SELECT chain, hour FROM around))`;

/** Fills `touched_hours`, a table of this run, and returns whether there are any. */
export const findTouchedHours = async (run: DerivationRun): Promise<boolean> => {
  await refill(run, 'touched_hours', AROUND);
  return (await askOne(run.client, 'SELECT count() FROM touched_hours')) !== '0';
};
