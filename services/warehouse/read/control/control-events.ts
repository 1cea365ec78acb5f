import type { ControlKind } from '../../../investigate/model/control-event.ts';
import type {
  AddressTimes,
  Events,
  EventsCommon,
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

export const COLUMNS = `kind, toUnixTimestamp(block_time) AS time, block_number, tx_index, index, tx_hash, sender, subject, holder,
  party, asset, amount, detail, emitter, by_holder`;

type ControlClauses = {
  readonly role: ControlRole;
  readonly kinds: readonly ControlKind[];
  readonly order: 'ASC' | 'DESC';
};

const RANGE = `chain = {chain:String}
  AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC') AND ${VISIBLE_ROWS_OF_A_RANGE}`;

const inOrder = (order: ControlClauses['order'], time: string): string =>
  [time, 'block_number', 'tx_index', 'index'].map((column) => `${column} ${order}`).join(', ');

/** One short range of the key for each kind, read in its order up to the limit. */
const ofOne = ({ role, kinds, order }: ControlClauses): string => {
  const each = kinds.map(
    (kind) => `SELECT * FROM (SELECT ${COLUMNS} FROM control_entries
WHERE ${RANGE} AND address = {addresses:Array(String)}[1] AND role = '${role}' AND kind = '${kind}'
ORDER BY ${inOrder(order, 'block_time')} LIMIT {limit:UInt32})`,
  );
  return `SELECT * FROM (${each.join(' UNION ALL ')}) ORDER BY ${inOrder(order, 'time')} LIMIT {limit:UInt32}`;
};

/** All of each address' ranges, each from its own time on and until its own. */
const ofMany = ({ role, order }: ControlClauses): string => `
SELECT ${COLUMNS}, address FROM control_entries
WHERE ${RANGE} AND address IN {addresses:Array(String)} AND role = '${role}' AND kind IN {kinds:Array(String)}
  AND toUnixTimestamp(block_time) BETWEEN transform(address, {addresses:Array(String)}, {froms:Array(UInt32)}, toUInt32(0))
    AND transform(address, {addresses:Array(String)}, {tos:Array(UInt32)}, toUInt32(0))
ORDER BY address, ${inOrder(order, 'block_time')} LIMIT {limit:UInt32} BY address`;

export type ControlRow = readonly [
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
  /** Where several were asked about. */
  address?: string,
];

/**
 * Each address' events: as subject, as holder or as party. One query, and one for the hashes. Millions may have approved a party,
 * so each party is asked about alone: only the end of its range is read. Events that are retracted between the two queries are left out.
 */
export const readControlEvents = async (
  client: WarehouseClient,
  role: ControlRole,
  common: EventsCommon,
  asked: readonly AddressTimes[],
  limits: ReadLimits,
): Promise<readonly Events[]> => {
  const addresses = new Set(asked.map(({ address }) => address));
  const isTogether = role !== 'party' && addresses.size === asked.length;
  const lists = isTogether ? [asked] : asked.map((one) => [one]);
  const read = await Promise.all(lists.map((list) => readList(client, role, common, list, limits)));
  return read.flat();
};

const readList = async (
  client: WarehouseClient,
  role: ControlRole,
  { chain, kinds, order, limit }: EventsCommon,
  asked: readonly AddressTimes[],
  limits: ReadLimits,
): Promise<readonly Events[]> => {
  if (asked.length === 0) return [];
  const clauses = { role, kinds, order: order === 'newest_first' ? 'DESC' : 'ASC' } as const;
  const froms = asked.map(({ fromUnixSeconds = 0 }) => Math.max(0, fromUnixSeconds));
  const tos = asked.map(({ toUnixSeconds = TIME_MAX }) => Math.min(TIME_MAX, toUnixSeconds));
  const addresses = asked.map(({ address }) => address);
  const params = {
    ...{ chain, kinds, limit, addresses, froms, tos },
    ...{ from: Math.min(...froms), to: Math.max(...tos) },
  };
  const query = asked.length === 1 ? ofOne(clauses) : ofMany(clauses);
  const rows = await askTables<ControlRow>(client, { query, params }, limits);
  const byAddress = Map.groupBy(rows, (row) => row[15] ?? addresses[0]);
  const found = addresses.map((address) => (byAddress.get(address) ?? []).map((row) => toEvent(chain, row)));
  const hashOf = await readHashes(client, found.flat(), { chain, ...limits });
  return found.map((events) => ({
    events: events.flatMap((event) => {
      const signature = hashOf(event);
      return signature === '' ? [] : [{ ...event, signature }];
    }),
    isCut: events.length >= limit,
  }));
};

/** Rows have a hash only when the transaction has no movement. */
export const readHashes = async (
  client: WarehouseClient,
  events: readonly PlacedControlEvent[],
  of: ReadLimits & { readonly chain: string },
): Promise<(event: PlacedControlEvent) => string> => {
  const without = events.filter(({ signature }) => signature === '');
  const hashes = await readTransactionHashes(client, of, without, of);
  const told = new Map(without.map((event, index) => [event, hashes[index] ?? '']));
  return (event) => told.get(event) ?? event.signature;
};

const orNull = (text: string): string | null => (text === '' ? null : text);

export const toEvent = (chain: string, row: ControlRow): PlacedControlEvent => {
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
