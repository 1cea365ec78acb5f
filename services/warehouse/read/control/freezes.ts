import type { Address } from '../../../investigate/model/address.ts';
import type { Asset } from '../../../investigate/model/asset.ts';
import type { PlacedControlEvent } from '../../../investigate/model/control-reader.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { COLUMNS, type ControlRow, readHashes, toEvent } from './control-events.ts';

/** The newest event of each token account, on EVM chains of each holder. */
const QUERY = `
SELECT ${COLUMNS} FROM control_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND role = 'holder' AND kind IN ('frozen', 'thawed')
  AND if(asset = '', subject, asset) = {asset:String} AND ${VISIBLE_ROWS}
ORDER BY block_time DESC, block_number DESC, tx_index DESC, index DESC
LIMIT 1 BY address, subject`;

/** One query, and one for hashes. A freeze that is retracted between the two is left out. */
export const readFreezes = async (
  client: WarehouseClient,
  { chain, asset }: OnChain & { readonly asset: Asset },
  wallets: readonly Address[],
  limits: ReadLimits,
): Promise<readonly (PlacedControlEvent | null)[]> => {
  const params = { chain, asset, wallets };
  const rows = await askTables<ControlRow>(client, { query: QUERY, params }, limits);
  const newest = rows.map((row) => toEvent(chain, row)).filter(({ kind }) => kind === 'frozen');
  const hashOf = await readHashes(client, newest, { chain, ...limits });
  const signed = newest.map((event) => ({ ...event, signature: hashOf(event) }));
  const events = signed.filter(({ signature }) => signature !== '');
  return wallets.map((wallet) => events.find(({ holder }) => holder === wallet) ?? null);
};
