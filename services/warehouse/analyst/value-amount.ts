import { IMPORT_REACH_SECONDS, MARKET_REACH_HOURS } from '../../investigate/model/price-at.ts';
import { joinFacts } from './asset-facts.ts';

/** An amount in the rows of `t`: expressions over its columns. */
type Moved = {
  /** Distinguishes the joins for two amounts of one row. */
  readonly prefix?: string;
  readonly asset: string;
  readonly canonicalAsset: string;
  readonly time: string;
  readonly amount: string;
  /** Restricts which assets and prices are read, if a view can. Uses their columns `chain` and `asset`. */
  readonly where?: string;
};

/**
 * The type of exact amounts. Amounts that do not fit (more than 18 decimals, 10^57 raw units and more) are
 * null.
 */
export const AMOUNT = 'Nullable(Decimal(76, 18))';
const SCALE = 18;
const RAW_BELOW = `toUInt256('1${'0'.repeat(57)}')`;
const FACTORS = `[${Array.from({ length: SCALE + 1 }, (_, decimals) => `toUInt256('1${'0'.repeat(SCALE - decimals)}')`).join(', ')}]`;

const REACH_SECONDS = MARKET_REACH_HOURS * 3_600;
const NO_TIME = "toDateTime(0, 'UTC')";

/**
 * Each quote of an asset beside the next one, so that one ASOF join finds the quotes before and after a time.
 * The first row stands for the time before all of them.
 */
const linesOf = (points: string, nothing: string): string => `
SELECT chain, asset, line.1 AS at, line.2 AS said, line.3 AS next_at, line.4 AS next_said
FROM (${points})
ARRAY JOIN arrayMap((a, b) -> (a.1, a.2, b.1, b.2), arrayPushFront(points, (${NO_TIME}, ${nothing})),
  arrayPushBack(points, (${NO_TIME}, ${nothing}))) AS line`;

/**
 * Joins for a table expression `t` with a column `chain`, and their results: symbol, decimals, the exact
 * amount, and its dollars by the rules of `priceAt`.
 */
export const valueAmount = (
  database: string,
  { prefix = '', asset, canonicalAsset, time, ...rest }: Moved,
) => {
  const { amount, where = 'true' } = rest;
  const as = (name: string): string => `${prefix}${name}`;
  const [facts, hours, minutes] = [as('facts'), as('hours'), as('minutes')];
  const [told, imports] = [as('told'), as('imports')];
  const seconds = (at: string): string => `toInt64(toUnixTimestamp(${at}))`;
  const since = (at: string): string => `(${seconds(time)} - ${seconds(at)})`;
  const until = (at: string): string => `(${seconds(at)} - ${seconds(time)})`;
  const isNear = (at: string, distance: string, reach: number): string =>
    `(${at} != ${NO_TIME} AND ${distance} <= ${reach})`;

  const before = isNear(`${hours}.at`, since(`${hours}.at`), REACH_SECONDS);
  const after = isNear(`${hours}.next_at`, until(`${hours}.next_at`), REACH_SECONDS);
  const market = `multiIf(
    ${before} AND ${after}, ${hours}.said + (${hours}.next_said - ${hours}.said)
      * ${since(`${hours}.at`)} / (${seconds(`${hours}.next_at`)} - ${seconds(`${hours}.at`)}),
    ${before}, ${hours}.said, ${after}, ${hours}.next_said, NULL)`;
  const earlier = isNear(`${imports}.at`, since(`${imports}.at`), IMPORT_REACH_SECONDS);
  const later = isNear(`${imports}.next_at`, until(`${imports}.next_at`), IMPORT_REACH_SECONDS);
  const isEarlierNearer = `(${since(`${imports}.at`)}, ${imports}.said.2) <= (${until(`${imports}.next_at`)}, ${imports}.next_said.2)`;
  const imported = `multiIf(${earlier} AND (NOT ${later} OR ${isEarlierNearer}), ${imports}.said.1,
    ${later}, ${imports}.next_said.1, NULL)`;
  const price = `if(${facts}.stablecoin, if(${told}.is_told, ${told}.usd, 1),
    coalesce(${minutes}.usd, ${market}, ${imported}))`;

  return {
    symbol: `${facts}.symbol`,
    amount: `if(${facts}.decimals BETWEEN 0 AND ${SCALE} AND ${amount} < ${RAW_BELOW},
    reinterpret(${amount} * ${FACTORS}[assumeNotNull(${facts}.decimals) + 1], 'Decimal(76,18)'), NULL)`,
    usd: `${price} * toFloat64(${amount}) / exp10(${facts}.decimals)`,
    joins: `${joinFacts(database, { as: facts, asset, where })}
LEFT ANY JOIN
(
  SELECT toString(chain) AS chain, toString(asset) AS asset, time, usd FROM ${database}.prices FINAL
  WHERE resolution = 'minute' AND ${where}
) AS ${minutes}
ON ${minutes}.chain = t.chain AND ${minutes}.asset = ${canonicalAsset} AND ${minutes}.time = toStartOfMinute(${time})
LEFT ANY JOIN
(
  SELECT toString(chain) AS chain, toString(asset) AS asset, time, usd, true AS is_told FROM ${database}.prices FINAL
  WHERE resolution = 'hour' AND ${where}
    AND (chain, asset) IN (SELECT chain, asset FROM ${database}.known_assets WHERE stablecoin)
) AS ${told}
ON ${told}.chain = t.chain AND ${told}.asset = ${canonicalAsset} AND ${told}.time = toStartOfHour(${time})
ASOF LEFT JOIN
(${linesOf(
      `
  SELECT toString(chain) AS chain, toString(asset) AS asset, arraySort(groupArray((at, assumeNotNull(usd)))) AS points
  FROM ${database}.prices FINAL WHERE resolution = 'hour' AND usd IS NOT NULL AND ${where} GROUP BY chain, asset`,
      'nan',
    )}
) AS ${hours}
ON ${hours}.chain = t.chain AND ${hours}.asset = ${canonicalAsset} AND ${time} >= ${hours}.at
ASOF LEFT JOIN
(${linesOf(
      `
  SELECT chain, asset, arraySort(groupArray((time, said))) AS points FROM
  (
    SELECT toString(chain) AS chain, toString(asset) AS asset, time, argMin((usd, toString(source)), source) AS said
    FROM ${database}.imported_prices FINAL WHERE ${where} GROUP BY chain, asset, time
  )
  GROUP BY chain, asset`,
      "(nan, '')",
    )}
) AS ${imports}
ON ${imports}.chain = t.chain AND ${imports}.asset = ${canonicalAsset} AND ${time} >= ${imports}.at`,
  };
};
