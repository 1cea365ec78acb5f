import type { HistoryKind, HistoryProof, ListedWindow } from '../../../investigate/model/history.ts';
import type { HistoryReader } from '../../../investigate/model/history-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';

/** Of one address. */
const WINDOWS_MAX = 1_000;

const QUERY = `
SELECT address, kinds, asset, first, last, toUInt32(last_time), source, proof, reason, transactions, toUInt32(read_time)
FROM listed_windows FINAL
WHERE chain = {chain:String} AND address IN {addresses:Array(String)}
ORDER BY address, sequence DESC LIMIT {most:UInt32} BY address`;

type Row = readonly [
  ...[address: string, kinds: HistoryKind[], asset: string, first: string, last: string, lastTime: number],
  ...[source: string, proof: HistoryProof, reason: string, transactions: number, readTime: number],
];

/** Over the table `listed_windows`: one range of its key for each address. */
export const createHistoryReader = (client: WarehouseClient): HistoryReader => ({
  windows: async ({ chain }, addresses, limits) => {
    const params = { chain, addresses, most: WINDOWS_MAX };
    const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
    const windows = rows.toReversed().map((row) => toWindow(chain, row));
    const byAddress = Map.groupBy(windows, ({ address }) => address);
    return addresses.map((address) => byAddress.get(address) ?? []);
  },
});

const toWindow = (
  chain: string,
  [address, kinds, asset, first, last, lastTime, source, proof, reason, transactions, readTime]: Row,
): ListedWindow => ({
  ...{ chain, address, kinds, asset: asset === '' ? null : asset },
  ...{ first: Number(first), last: Number(last), lastUnixSeconds: lastTime === 0 ? null : lastTime },
  ...{ source, proof, reason: reason === '' ? null : reason, transactions, readAtUnixSeconds: readTime },
});
