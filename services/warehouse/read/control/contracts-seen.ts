import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const ENTRIES = `
FROM control_entries
WHERE chain IN {chains:Array(String)} AND address IN {addresses:Array(String)} AND role = 'subject'`;

/** A wallet that delegated to code (EIP-7702) runs code and is still a key; an account with owners is theirs. */
const QUERY = `
SELECT DISTINCT chain, address ${ENTRIES} AND kind IN ('contract_created', 'calls') AND ${VISIBLE_ROWS}
  AND (chain, address) NOT IN (SELECT chain, address ${ENTRIES} AND kind IN ('code_delegated', 'account_acted') AND ${VISIBLE_ROWS})`;

/** On which of these chains each address is a contract: it was created there, or ran code there. One query. */
export const readContractsSeen = async (
  client: WarehouseClient,
  {
    chains,
    addresses,
    ...limits
  }: ReadLimits & { readonly chains: readonly string[]; readonly addresses: readonly string[] },
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  if (addresses.length === 0) return new Map();
  const params = { chains, addresses };
  const rows = await askTables<readonly [chain: string, address: string]>(
    client,
    { query: QUERY, params },
    limits,
  );
  const seen = Map.groupBy(rows, ([, address]) => address);
  return new Map([...seen].map(([address, on]) => [address, new Set(on.map(([chain]) => chain))]));
};
