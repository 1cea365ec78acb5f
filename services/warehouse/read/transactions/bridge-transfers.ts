import type { Bridge, BridgeSide } from '../../../investigate/model/bridge-transfer.ts';
import type {
  BridgeMessagesRequest,
  BridgeTransfersRequest,
  PlacedBridgeTransfer,
} from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { PLACES, toPlaces, toPosition } from './places.ts';

const COLUMNS = `chain, toUnixTimestamp(block_time), block_number, tx_index, index, tx_hash, bridge, side, message_id,
  far_chain, from_address, to_address, asset, amount`;

/** A transaction with more bridge transfers than this is the bridge's own. */
const ROWS_MAX = 10_000;

const BY_PLACE = `
SELECT ${COLUMNS} FROM bridge_transfers
WHERE chain = {chain:String} AND (block_number, tx_index) IN ${PLACES} AND ${VISIBLE_ROWS}
ORDER BY block_number, tx_index, index
LIMIT ${ROWS_MAX}`;

const BY_NUMBER = `
SELECT ${COLUMNS} FROM bridge_messages
WHERE (bridge, message_id) IN arrayZip({bridges:Array(String)}, {messages:Array(String)})
  AND ${VISIBLE_ROWS}
ORDER BY block_time, chain, block_number, tx_index, index
LIMIT ${ROWS_MAX}`;

type Row = readonly [
  chain: string,
  time: number,
  block: string,
  tx: number,
  index: number,
  hash: string,
  bridge: Bridge,
  side: BridgeSide,
  message: string,
  farChain: string,
  from: string,
  to: string,
  asset: string,
  amount: string,
];

/** Bridge transfers of these transactions. One query, a short range of the key for each position. */
export const readBridgeTransfers = async (
  client: WarehouseClient,
  { chain, positions, ...limits }: BridgeTransfersRequest,
): Promise<readonly PlacedBridgeTransfer[]> => {
  if (positions.length === 0) return [];
  const params = { chain, ...toPlaces(positions) };
  return (await askTables<Row>(client, { query: BY_PLACE, params }, limits)).map(toTransfer);
};

/** Both legs of these bridge transfers, earliest first. One query, a short range of the key for each id. */
export const readBridgeMessages = async (
  client: WarehouseClient,
  { messages, ...limits }: BridgeMessagesRequest,
): Promise<readonly PlacedBridgeTransfer[]> => {
  if (messages.length === 0) return [];
  const params = {
    bridges: messages.map(({ bridge }) => bridge),
    messages: messages.map(({ messageId }) => messageId),
  };
  return (await askTables<Row>(client, { query: BY_NUMBER, params }, limits)).map(toTransfer);
};

const orNull = (text: string): string | null => (text === '' ? null : text);

const toTransfer = (row: Row): PlacedBridgeTransfer => {
  const [chain, blockTime, block, txIndex, index, signature, bridge, side, message, farChain, ...told] = row;
  const [from, to, asset, amount] = told;
  return {
    ...toPosition(blockTime, block, txIndex),
    chain,
    index,
    signature,
    bridge,
    side,
    messageId: orNull(message),
    farChain: orNull(farChain),
    from: orNull(from),
    to: orNull(to),
    asset: orNull(asset),
    amountRaw: amount === '0' ? null : BigInt(amount),
  };
};
