import type { ControlKind } from '../../../investigate/model/control-event.ts';
import type {
  ControlPage,
  ControlRequest,
  PlacedControlEvent,
} from '../../../investigate/model/control-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';
import { readTransactionHashes } from '../transactions/transaction-hashes.ts';

export type ControlRole = 'subject' | 'holder' | 'party';

/** The latest time in the tables: 32 bits of seconds. */
const TIME_MAX = 2 ** 32 - 1;

const COLUMNS = `kind, toUnixTimestamp(block_time) AS time, block_number, tx_index, index, tx_hash, sender, subject, holder,
  party, asset, amount, detail, emitter, by_holder`;

type ControlClauses = {
  readonly role: ControlRole;
  readonly kinds: readonly ControlKind[];
  readonly isContinued: boolean;
  readonly after: '>' | '<';
  readonly order: 'ASC' | 'DESC';
};

const inOrder = (order: ControlClauses['order'], time: string): string =>
  `ORDER BY ${[time, 'block_number', 'tx_index', 'index'].map((column) => `${column} ${order}`).join(', ')}
LIMIT {limit:UInt32}`;

/** One short range of the key, in its order. */
const ofKind = ({ role, isContinued, after, order }: ControlClauses, kind: ControlKind): string => `
SELECT ${COLUMNS} FROM control_entries
WHERE chain = {chain:String} AND address = {address:String} AND role = '${role}' AND kind = '${kind}'
  AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC')
  ${
    isContinued
      ? `AND (block_time, block_number, tx_index, index) ${after}
    (toDateTime({time:UInt32}, 'UTC'), {block:UInt64}, {tx:Int32}, {index:UInt32})`
      : ''
  }
  AND ${VISIBLE_ROWS_OF_A_RANGE}
${inOrder(order, 'block_time')}`;

const queryOf = (clauses: ControlClauses): string =>
  `SELECT * FROM (${clauses.kinds.map((kind) => `SELECT * FROM (${ofKind(clauses, kind)})`).join(' UNION ALL ')})
${inOrder(clauses.order, 'time')}`;

type Row = readonly [
  kind: ControlKind,
  time: number,
  block: string,
  tx: number,
  index: number,
  hash: string,
  sender: string,
  subject: string,
  holder: string,
  party: string,
  asset: string,
  amount: string,
  detail: string,
  emitter: string,
  byHolder: boolean,
];

/**
 * A page of an address' events: as subject, as holder or as party. One query, a short range of the key for
 * each kind, and one for the hashes. Events that are retracted between the two are left out.
 */
export const readControlEvents = async (
  client: WarehouseClient,
  role: ControlRole,
  { chain, address, kinds, order, fromUnixSeconds, toUnixSeconds, after, limit, ...limits }: ControlRequest,
): Promise<ControlPage> => {
  const isNewestFirst = order === 'newest_first';
  const query = queryOf({
    role,
    kinds,
    isContinued: after !== undefined,
    ...(isNewestFirst ? { after: '<', order: 'DESC' } : { after: '>', order: 'ASC' }),
  });
  const [least, most] = isNewestFirst ? [0, after?.blockTime] : [after?.blockTime, TIME_MAX];
  const params = {
    chain,
    address,
    limit,
    from: Math.max(0, fromUnixSeconds ?? 0, least ?? 0),
    to: Math.min(TIME_MAX, toUnixSeconds ?? TIME_MAX, most ?? TIME_MAX),
    time: after?.blockTime ?? 0,
    block: after?.blockNumber ?? 0,
    tx: after?.txIndex ?? 0,
    index: after?.index ?? 0,
  };
  const rows = await askTables<Row>(client, { query, params }, limits);
  const found = rows.map((row) => toEvent(chain, row));
  const events = await withHashes(client, found, { chain, ...limits });
  const last = found.at(-1);
  if (last === undefined || found.length < limit) return { events, next: null };
  const { blockTime, blockNumber, txIndex, index } = last;
  return { events, next: { blockTime, blockNumber, txIndex, index } };
};

/** Rows have a hash only when the transaction has no movement. */
const withHashes = async (
  client: WarehouseClient,
  events: readonly PlacedControlEvent[],
  of: ReadLimits & { readonly chain: string },
): Promise<readonly PlacedControlEvent[]> => {
  const without = events.filter(({ signature }) => signature === '');
  const hashes = await readTransactionHashes(client, of, without, of);
  const told = new Map(without.map((event, index) => [event, hashes[index] ?? '']));
  return events
    .map((event) => ({ ...event, signature: told.get(event) ?? event.signature }))
    .filter(({ signature }) => signature !== '');
};

const orNull = (text: string): string | null => (text === '' ? null : text);

const toEvent = (chain: string, row: Row): PlacedControlEvent => {
  const [kind, time, block, tx, index, signature, sender, subject, holder, party, ...told] = row;
  const [asset, amount, detail, emitter, byHolder] = told;
  return {
    ...toPosition(time, block, tx),
    chain,
    index,
    kind,
    signature,
    sender,
    subject,
    byHolder,
    holder: orNull(holder),
    party: orNull(party),
    asset: orNull(asset),
    amountRaw: BigInt(amount),
    detail: orNull(detail),
    emitter: orNull(emitter),
  };
};
