import { HAND_OVER_KINDS_LISTED } from '../../sql-clauses.ts';
import { type AnalystView, type Column, MISSING_BEFORE, missingBefore, visible } from '../analyst-view.ts';
import { assetFacts } from '../asset-facts.ts';
import { givenAddress, KEY_FORM, showAddress, shownColumn } from '../show-address.ts';
import { valueAmount } from '../value-amount.ts';
import { shownLabels } from './labels.ts';
import { CHAIN, MONEY, PLACE } from './movements.ts';

const HANDED_OVER = `kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', address)`;
const WITH_SIDE = `t.direction AS direction, t.counterparty AS counterparty`;
const PLACED = `t.block_number AS block_number, t.block_time AS block_time, t.tx_index AS tx_index`;
const HASH: Column = ['tx_hash', 'String', 'of the transaction'];
const ASSET: Column = [
  'asset',
  'LowCardinality(String)',
  'native for the coin and its wrapped form, else the token’s address',
];

/** The hash of each row of `t`, which tables by wallet do not hold; `rows` are those rows with nothing but a few columns. */
const joinHashes = (database: string, rows: string): string => `
LEFT ANY JOIN
(
  SELECT block_number, tx_index, index, tx_hash FROM ${database}.transfers
  WHERE chain = {chain:String} AND (block_number, tx_index, index) IN (SELECT block_number, tx_index, index FROM ${rows})
) AS places
ON places.block_number = t.block_number AND places.tx_index = t.tx_index AND places.index = t.index`;

const money = (database: string, rows: string) =>
  valueAmount(database, {
    asset: 't.asset_family',
    canonicalAsset: 't.asset_family',
    time: 't.block_time',
    amount: 't.amount',
    where: `chain = {chain:String} AND asset IN (SELECT DISTINCT toString(asset_family) FROM ${rows})`,
  });

export const WALLET: AnalystView = {
  name: 'wallet',
  comment:
    "wallet(chain = 'ethereum', address = '0x…'): all that one wallet got and gave, with hashes and the other side’s label. The address in any form.",
  columns: [
    ...PLACE,
    HASH,
    ['direction', 'LowCardinality(String)', 'in: the wallet got it; out: it gave it'],
    ['counterparty', 'String', `the other side: ${KEY_FORM}; empty where the chain has none`],
    ['counterparty_label', 'Nullable(String)', 'who that is, as answers show it; null where nobody knows'],
    ['counterparty_kind', 'Nullable(String)', 'the kind of that label'],
    ASSET,
    ...MONEY,
    ['kind', 'LowCardinality(String)', 'transfer, program, fee, …'],
    MISSING_BEFORE,
    shownColumn('counterparty'),
  ],
  query: (database) => {
    const rows = `(SELECT * FROM ${database}.account_entries
    WHERE chain = {chain:String} AND address = ${givenAddress('address')} AND ${visible(database)})`;
    const { joins, symbol, amount, usd } = money(database, rows);
    return `
SELECT ${PLACED}, places.tx_hash AS tx_hash, ${WITH_SIDE}, labelled.name AS counterparty_label,
  labelled.kind AS counterparty_kind, t.asset_family AS asset, ${symbol} AS symbol, ${amount} AS amount, t.amount AS amount_raw,
  ${usd} AS usd, t.kind AS kind,${missingBefore(database, 't.chain')}, ${showAddress('t.counterparty')} AS counterparty_shown
FROM ${rows} AS t${joinHashes(database, rows)}${joins}${joinLabels(database, rows, 't.counterparty')}`;
  },
};

const joinLabels = (database: string, rows: string, address: string): string => `
LEFT ANY JOIN
(
  SELECT address, name::Nullable(String) AS name, kind::Nullable(String) AS kind
  FROM (${shownLabels(database, `address IN (SELECT counterparty FROM ${rows})`)})
  WHERE chain = {chain:String}
) AS labelled
ON labelled.address = ${address}`;

export const FOLLOW_HOPS: AnalystView = {
  name: 'follow_hops',
  comment:
    "follow_hops(chain = 'solana', address = '…', asset = 'native', since = '2025-09-03 00:00:00'): where money of one asset went from a wallet since a time, and who got it. Ask it again for a recipient to walk on; /follow decides which payment it was.",
  columns: [
    ...PLACE,
    HASH,
    ['to_address', 'String', `who got it: ${KEY_FORM}`],
    ['to_label', 'Nullable(String)', 'who that is, as answers show it; null where nobody knows'],
    ['to_kind', 'Nullable(String)', 'the kind of that label: at an exchange or mixer ask trace_candidates'],
    ...MONEY,
    shownColumn('to_address'),
  ],
  query: (database) => {
    const rows = `(SELECT * FROM ${database}.account_entries
    WHERE chain = {chain:String} AND address = ${givenAddress('address')} AND direction = 'out'
      AND asset_family = {asset:String} AND block_time >= {since:DateTime('UTC')} AND ${HANDED_OVER} AND ${visible(database)})`;
    const { joins, symbol, amount, usd } = money(database, rows);
    return `
SELECT ${PLACED}, places.tx_hash AS tx_hash, t.counterparty AS to_address, labelled.name AS to_label, labelled.kind AS to_kind,
  ${symbol} AS symbol, ${amount} AS amount, t.amount AS amount_raw, ${usd} AS usd,
  ${showAddress('t.counterparty')} AS to_address_shown
FROM ${rows} AS t${joinHashes(database, rows)}${joins}${joinLabels(database, rows, 't.counterparty')}
ORDER BY t.block_time, t.block_number, t.tx_index, t.index`;
  },
};

/** Raw units of the amount in the question; nought where the asset's decimals are unknown, so that nothing is found. */
const askedRaw = (database: string): string => `(
    SELECT if(max(decimals) BETWEEN 0 AND 18, reinterpret(toDecimal256({amount:String}, 18), 'UInt256')
      DIV toUInt256(exp10(18 - assumeNotNull(max(decimals)))), 0)
    FROM (${assetFacts(database, `chain = {chain:String} AND asset = {asset:String}`)}))`;

export const TRACE_CANDIDATES: AnalystView = {
  name: 'trace_candidates',
  comment:
    "trace_candidates(chain = 'ethereum', service = '0x…', direction = 'forward', asset = 'native', amount = '10', time = '2025-09-03 04:05:06', hours = 24, tolerance = 0.02): what a service paid out behind a deposit (backward: took in before a withdrawal) that fits it in amount and time. service: any address of it. Only /trace weighs what else links them.",
  columns: [
    ...PLACE,
    HASH,
    ['address', 'String', `who was paid (backward: who paid in): ${KEY_FORM}`],
    ['service_address', 'String', `the service’s side: ${KEY_FORM}`],
    ['entity', 'LowCardinality(String)', 'the service'],
    ['seconds_apart', 'Int64', 'seconds between the question’s time and this'],
    ['share', 'Float64', 'the smaller of both amounts divided by the larger'],
    ...MONEY,
    shownColumn('address'),
  ],
  query: (database) => {
    const forward = `{direction:String} = 'forward'`;
    const asked = askedRaw(database);
    const kept = '(1 - {tolerance:Float64})';
    const least = `if(${forward}, toUInt256(floor(toFloat64(${asked}) * ${kept})), ${asked})`;
    const most = `if(${forward}, ${asked}, toUInt256(ceil(toFloat64(${asked}) / ${kept})))`;
    const time = `{time:DateTime('UTC')}`;
    const reach = 'toIntervalSecond({hours:UInt32} * 3600)';
    const rows = `(SELECT * FROM ${database}.service_entries FINAL
    WHERE chain = {chain:String} AND entity = (SELECT max(toString(entity)) FROM ${database}.service_wallets FINAL
        WHERE chain = {chain:String} AND address = ${givenAddress('service')})
      AND direction = if(${forward}, 'out', 'in') AND asset_family = {asset:String}
      AND amount >= ${least} AND amount <= ${most}
      AND block_time >= if(${forward}, ${time}, ${time} - ${reach}) AND block_time <= if(${forward}, ${time} + ${reach}, ${time})
      AND ${HANDED_OVER} AND ${visible(database)})`;
    const { joins, symbol, amount, usd } = money(database, rows);
    return `
SELECT ${PLACED}, places.tx_hash AS tx_hash, t.counterparty AS address, t.address AS service_address, t.entity AS entity,
  abs(toInt64(toUnixTimestamp(t.block_time)) - toInt64(toUnixTimestamp(${time}))) AS seconds_apart,
  if(t.amount < ${asked}, toFloat64(t.amount) / toFloat64(${asked}), toFloat64(${asked}) / toFloat64(t.amount)) AS share,
  ${symbol} AS symbol, ${amount} AS amount, t.amount AS amount_raw, ${usd} AS usd, ${showAddress('t.counterparty')} AS address_shown
FROM ${rows} AS t${joinHashes(database, rows)}${joins}
ORDER BY share DESC, seconds_apart`;
  },
};

const SERVICE_SIDES: readonly Column[] = [
  ['address', 'String', `the service’s address: ${KEY_FORM}`],
  ['counterparty', 'String', `the other side: ${KEY_FORM}`],
  ['is_internal', 'Bool', 'whether the other side belongs to the same service'],
];
const SERVICE_DIRECTION: Column = [
  'direction',
  'LowCardinality(String)',
  'in: the service got it; out: it gave it',
];
const isInternal = (database: string): string =>
  `((t.chain, t.counterparty, t.entity) IN (SELECT chain, address, entity FROM ${database}.service_wallets FINAL))::Bool`;

export const SERVICE: AnalystView = {
  name: 'service',
  comment:
    "service(chain = 'ethereum', entity = 'murk', from = '2025-09-01 00:00:00', to = '2025-09-02 00:00:00'): what one exchange or mixer got and gave between two times, with hashes. The second time is not included.",
  columns: [
    ...[...PLACE, HASH, SERVICE_DIRECTION, ASSET, ...SERVICE_SIDES, ...MONEY, MISSING_BEFORE],
    ...[shownColumn('address'), shownColumn('counterparty')],
  ],
  query: (database) => {
    const rows = `(SELECT * FROM ${database}.service_entries FINAL
    WHERE chain = {chain:String} AND entity = {entity:String} AND block_time >= {from:DateTime('UTC')}
      AND block_time < {to:DateTime('UTC')} AND ${HANDED_OVER} AND ${visible(database)})`;
    const { joins, symbol, amount, usd } = money(database, rows);
    return `
SELECT ${PLACED}, places.tx_hash AS tx_hash, t.direction AS direction, t.asset_family AS asset, t.address AS address,
  t.counterparty AS counterparty, ${isInternal(database)} AS is_internal, ${symbol} AS symbol, ${amount} AS amount,
  t.amount AS amount_raw, ${usd} AS usd,${missingBefore(database, 't.chain')}, ${showAddress('t.address')} AS address_shown,
  ${showAddress('t.counterparty')} AS counterparty_shown
FROM ${rows} AS t${joinHashes(database, rows)}${joins}`;
  },
};

export const SERVICE_ACTIVITY: AnalystView = {
  name: 'service_activity',
  comment:
    'What exchanges and mixers got and gave, deposit addresses included, once for each side. Key: chain, entity, direction, asset, amount_raw, block_time; with hashes: service.',
  columns: [
    CHAIN,
    ['entity', 'LowCardinality(String)', 'the service'],
    ...[SERVICE_DIRECTION, ASSET, ...PLACE, ...SERVICE_SIDES],
    ...[...MONEY, MISSING_BEFORE],
    shownColumn('address'),
    shownColumn('counterparty'),
  ],
  query: (database) => {
    const { joins, symbol, amount, usd } = valueAmount(database, {
      asset: 't.asset_family',
      canonicalAsset: 't.asset_family',
      time: 't.block_time',
      amount: 't.amount',
    });
    return `
SELECT t.chain AS chain, t.entity AS entity, t.direction AS direction, t.asset_family AS asset, ${PLACED},
  t.address AS address, t.counterparty AS counterparty,
  ${isInternal(database)} AS is_internal,
  ${symbol} AS symbol, ${amount} AS amount, t.amount AS amount_raw, ${usd} AS usd,${missingBefore(database, 't.chain')},
  ${showAddress('t.address')} AS address_shown, ${showAddress('t.counterparty')} AS counterparty_shown
FROM (SELECT * FROM ${database}.service_entries FINAL WHERE ${HANDED_OVER} AND ${visible(database)}) AS t${joins}`;
  },
};
