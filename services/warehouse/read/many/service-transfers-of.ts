import type { Many } from '../../../investigate/model/many-reader.ts';
import type {
  Direction,
  ServiceTransfer,
  ServiceTransfersRequest,
} from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { readServiceTransfers, SERVICE_TRANSFER_ORDERS } from '../services/service-transfers.ts';
import { answerGroups } from './group-requests.ts';

/** Fewer requests run one by one, because the join reads all amounts between the smallest and the largest. */
const JOINED_FROM = 4;
/** Maximum rows of all requests together. With more, each request runs alone. */
const ROWS_MAX = 2_000_000;

/**
 * Rows and requests are joined by a band of amounts, about 4 % wide, and a span of time. Each row is in one
 * band and one span, and each request in all that it touches, so that no row matches a request twice. Then
 * the exact bounds decide. One more band on either side covers the logarithm's rounding.
 */
const query = (direction: Direction): string => `
WITH (amount -> toInt32(floor(log2(toFloat64(amount) + 1) * 16))) AS band
SELECT request, address, counterparty, amount, toUnixTimestamp(block_time), block_number, tx_index
FROM
(
  SELECT address, counterparty, amount, block_time, block_number, tx_index, index,
    band(amount) AS amounts, intDiv(toUnixTimestamp(block_time), {span:UInt32}) AS times
  FROM service_entries FINAL
  WHERE chain = {chain:String} AND entity = {entity:String} AND direction = {direction:String}
    AND asset_family = {canonicalAsset:String}
    AND amount >= arrayMin(arrayMap(least -> toUInt256(least), {leasts:Array(String)}))
    AND amount <= arrayMax(arrayMap(most -> toUInt256(most), {mosts:Array(String)}))
    AND block_time >= toDateTime(arrayMin({sinces:Array(UInt32)}), 'UTC')
    AND block_time <= toDateTime(arrayMax({untils:Array(UInt32)}), 'UTC')
    AND kind IN (${HAND_OVER_KINDS_LISTED}) AND counterparty != '' AND counterparty != address
    AND ${VISIBLE_ROWS}
) AS entries
INNER JOIN
(
  SELECT request, least, most, since, until, amounts,
    arrayJoin(range(intDiv(since, {span:UInt32}), intDiv(until, {span:UInt32}) + 1)) AS times
  FROM
  (
    SELECT asked.1 AS request, toUInt256(asked.2) AS least, toUInt256(asked.3) AS most, asked.4 AS since, asked.5 AS until,
      arrayJoin(range(band(least) - 1, band(most) + 2)) AS amounts
    FROM
    (
      SELECT arrayJoin(arrayZip(range(toUInt32(length({leasts:Array(String)}))), {leasts:Array(String)}, {mosts:Array(String)},
        {sinces:Array(UInt32)}, {untils:Array(UInt32)})) AS asked
    )
  )
) AS requests USING (amounts, times)
WHERE amount BETWEEN least AND most AND toUnixTimestamp(block_time) BETWEEN since AND until
ORDER BY request, ${SERVICE_TRANSFER_ORDERS[direction]}, address
LIMIT {limit:UInt32} BY request
LIMIT {rows:UInt32}`;

type Row = readonly [
  request: number,
  address: string,
  counterparty: string,
  amount: string,
  time: number,
  block: string,
  tx: number,
];
type Request = Many<ServiceTransfersRequest>[number];

/**
 * Transfers of services for many amounts and times: one query for all requests of one service, direction and
 * asset.
 */
export const readServiceTransfersOf = (
  client: WarehouseClient,
  requests: Many<ServiceTransfersRequest>,
  limits: ReadLimits,
): Promise<readonly (readonly ServiceTransfer[])[]> => {
  const askAlone = (request: Request) => readServiceTransfers(client, { ...request, ...limits });
  return answerGroups(
    requests,
    ({ chain, entity, direction, canonicalAsset, limit }) => [
      chain,
      entity,
      direction,
      canonicalAsset,
      limit,
    ],
    async (group) => {
      const joined = group.length < JOINED_FROM ? null : await askJoined(client, group, limits);
      return joined ?? Promise.all(group.map(askAlone));
    },
  );
};

/** null when there are more rows than are read at once. */
const askJoined = async (
  client: WarehouseClient,
  requests: readonly Request[],
  limits: ReadLimits,
): Promise<readonly (readonly ServiceTransfer[])[] | null> => {
  const [first] = requests;
  if (first === undefined) return [];
  const { chain, entity, direction, canonicalAsset, limit } = first;
  const params = {
    chain,
    entity,
    direction,
    canonicalAsset,
    limit,
    rows: ROWS_MAX,
    // No request touches more than two.
    span: requests.reduce(
      (longest, { fromUnixSeconds, toUnixSeconds }) => Math.max(longest, toUnixSeconds - fromUnixSeconds + 1),
      1,
    ),
    leasts: requests.map(({ minRaw }) => String(minRaw)),
    mosts: requests.map(({ maxRaw }) => String(maxRaw)),
    sinces: requests.map(({ fromUnixSeconds }) => fromUnixSeconds),
    untils: requests.map(({ toUnixSeconds }) => toUnixSeconds),
  };
  const rows = await askTables<Row>(client, { query: query(direction), params }, limits);
  if (rows.length >= ROWS_MAX) return null;
  const answers: ServiceTransfer[][] = requests.map(() => []);
  for (const [request, wallet, counterparty, amount, blockTime, block, txIndex] of rows)
    answers[request]?.push({
      wallet,
      counterparty,
      amountRaw: BigInt(amount),
      blockTime,
      blockNumber: Number(block),
      txIndex,
    });
  return answers;
};
