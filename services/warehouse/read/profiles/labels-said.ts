import type { LabelKind } from '../../../investigate/model/label.ts';
import type { SaidLabel } from '../../../investigate/model/profile-reader.ts';
import type { WalletRequest } from '../../../investigate/model/transfer-reader.ts';
import { endLifted } from '../../../labels/rules/choose-label.ts';
import { chainsOfKey, holdingOn, mayInherit } from '../../../labels/rules/inherit-labels.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { readContractsSeen } from '../control/contracts-seen.ts';

const QUERY = `
SELECT chain, kind, name, entity, category, source, creator, confidence, valid_from, valid_to, inherited_from, evidence, asserted_at
FROM labels FINAL
WHERE chain IN {chains:Array(String)} AND address = {wallet:String}
ORDER BY chain != {chain:String}, confidence DESC, asserted_at DESC, source, name
LIMIT 100`;

type Row = readonly [
  chain: string,
  kind: LabelKind,
  name: string,
  entity: string,
  category: string,
  source: string,
  creator: string,
  confidence: number,
  validFrom: string,
  validTo: string,
  inheritedFrom: string,
  evidence: string,
  assertedAt: string,
];

/**
 * Every source's label of one address, the most confident first, and then what other chains' labels say of the same
 * key. A lifted designation has its end. One query, and one more where a label of another chain may hold.
 */
export const readLabelsSaid = async (
  client: WarehouseClient,
  { chain, wallet, ...limits }: WalletRequest,
): Promise<readonly SaidLabel[]> => {
  const chains = chainsOfKey(chain);
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, chains, wallet } }, limits);
  const said = rows.map(toSaid);
  const addresses = said.some((label) => label.chain !== chain && mayInherit(label)) ? [wallet] : [];
  const contracts = await readContractsSeen(client, { chains, addresses, ...limits });
  return endLifted(holdingOn(chain, said, contracts.get(wallet)));
};

const toSaid = ([
  chain,
  kind,
  name,
  entity,
  category,
  source,
  creator,
  confidence,
  from,
  to,
  inheritedFrom,
  evidence,
  at,
]: Row): SaidLabel => ({
  chain,
  kind,
  name,
  entity,
  category,
  source,
  creator,
  confidence,
  evidence,
  validFrom: Number(from) || null,
  validTo: Number(to) || null,
  inheritedFrom: inheritedFrom === '' ? null : inheritedFrom,
  assertedAt: Number(at),
});
