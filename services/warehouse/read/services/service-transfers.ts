import type {
  AmountRange,
  Direction,
  ServiceSide,
  ServiceTransfer,
  TimeRange,
} from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { eachPart } from '../each-part.ts';
import { toPosition } from '../transactions/places.ts';

/** Fewer ranges are a part each, because the join reads all amounts between the smallest and the largest. */
const JOINED_FROM = 4;
/** Maximum rows of all ranges together. With more, they are read part by part. */
const ROWS_MAX = 2_000_000;
/** Parts of one query: each takes some 800 characters of it, and an engine reads 262,144. */
const PARTS_MAX = 100;

/**
 * When more rows match than requested, those with the lowest fee are kept, and among equal ones those nearest to the trace's other side.
 */
const ORDERS: Readonly<Record<Direction, string>> = {
  out: 'amount DESC, block_time, block_number, tx_index, index',
  in: 'amount, block_time DESC, block_number DESC, tx_index DESC, index DESC',
};

const ROWS = `
FROM service_entries FINAL
WHERE chain = {chain:String} AND entity = {entity:String} AND direction = {direction:String}
  AND asset_family = {canonicalAsset:String}
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND counterparty != '' AND counterparty != address
  AND ${VISIBLE_ROWS}`;

/** One range of amounts, within which the key is in order of time. */
const partOf =
  (direction: Direction) =>
  (place: number): string =>
    `
SELECT address, counterparty, amount, toUnixTimestamp(block_time), block_number, tx_index
${ROWS}
  AND amount BETWEEN toUInt256({leasts:Array(String)}[${place}]) AND toUInt256({mosts:Array(String)}[${place}])
  AND block_time BETWEEN toDateTime({sinces:Array(UInt32)}[${place}], 'UTC') AND toDateTime({untils:Array(UInt32)}[${place}], 'UTC')
ORDER BY ${ORDERS[direction]}, address
LIMIT {limit:UInt32}`;

/**
 * Rows and ranges are joined by a band of amounts, about 4 % wide, and a span of time. Each row is in one
 * band and one span, and each range in all that it touches, so that no row matches a range twice. Then
 * the exact bounds decide. One more band on either side covers the logarithm's rounding.
 */
const joinedQuery = (direction: Direction): string => `
WITH (amount -> toInt32(floor(log2(toFloat64(amount) + 1) * 16))) AS band
SELECT asked, address, counterparty, amount, toUnixTimestamp(block_time), block_number, tx_index
FROM
(
  SELECT address, counterparty, amount, block_time, block_number, tx_index, index,
    band(amount) AS amounts, intDiv(toUnixTimestamp(block_time), {span:UInt32}) AS times
  ${ROWS}
    AND amount >= arrayMin(arrayMap(least -> toUInt256(least), {leasts:Array(String)}))
    AND amount <= arrayMax(arrayMap(most -> toUInt256(most), {mosts:Array(String)}))
    AND block_time >= toDateTime(arrayMin({sinces:Array(UInt32)}), 'UTC')
    AND block_time <= toDateTime(arrayMax({untils:Array(UInt32)}), 'UTC')
) AS entries
INNER JOIN
(
  SELECT asked, least, most, since, until, amounts,
    arrayJoin(range(intDiv(since, {span:UInt32}), intDiv(until, {span:UInt32}) + 1)) AS times
  FROM
  (
    SELECT given.1 AS asked, toUInt256(given.2) AS least, toUInt256(given.3) AS most, given.4 AS since, given.5 AS until,
      arrayJoin(range(band(least) - 1, band(most) + 2)) AS amounts
    FROM
    (
      SELECT arrayJoin(arrayZip(range(toUInt32(length({leasts:Array(String)}))), {leasts:Array(String)}, {mosts:Array(String)},
        {sinces:Array(UInt32)}, {untils:Array(UInt32)})) AS given
    )
  )
) AS ranges USING (amounts, times)
WHERE amount BETWEEN least AND most AND toUnixTimestamp(block_time) BETWEEN since AND until
ORDER BY asked, ${ORDERS[direction]}, address
LIMIT {limit:UInt32} BY asked
LIMIT {rows:UInt32}`;

type Row = readonly [
  asked: number,
  address: string,
  counterparty: string,
  amount: string,
  time: number,
  block: string,
  tx: number,
];
type Range = AmountRange & TimeRange;

/** What one side of a service moved of an asset within each range of amounts and time. One query, unless very many rows match. */
export const readServiceTransfers = async (
  client: WarehouseClient,
  side: ServiceSide,
  ranges: readonly Range[],
  limits: ReadLimits,
): Promise<readonly (readonly ServiceTransfer[])[]> => {
  const paramsOf = (some: readonly Range[]) => ({
    ...side,
    leasts: some.map(({ minRaw }) => String(minRaw)),
    mosts: some.map(({ maxRaw }) => String(maxRaw)),
    sinces: some.map(({ fromUnixSeconds }) => fromUnixSeconds),
    untils: some.map(({ toUnixSeconds }) => toUnixSeconds),
  });
  const askParts = async (): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let first = 0; first < ranges.length; first += PARTS_MAX) {
      const some = ranges.slice(first, first + PARTS_MAX);
      const question = { query: eachPart(some, partOf(side.direction)), params: paramsOf(some) };
      for (const [asked, ...row] of await askTables<Row>(client, question, limits))
        rows.push([asked + first, ...row]);
    }
    return rows;
  };
  const askJoined = async () => {
    // No range touches more than two spans.
    const span = ranges.reduce(
      (longest, { fromUnixSeconds, toUnixSeconds }) => Math.max(longest, toUnixSeconds - fromUnixSeconds + 1),
      1,
    );
    const question = {
      query: joinedQuery(side.direction),
      params: { ...paramsOf(ranges), span, rows: ROWS_MAX },
    };
    const rows = await askTables<Row>(client, question, limits);
    return rows.length >= ROWS_MAX ? askParts() : rows;
  };
  const rows = ranges.length < JOINED_FROM ? await askParts() : await askJoined();
  const each: ServiceTransfer[][] = ranges.map(() => []);
  for (const [asked, wallet, counterparty, amount, ...at] of rows)
    each[asked]?.push({ wallet, counterparty, amountRaw: BigInt(amount), ...toPosition(...at) });
  return each;
};
