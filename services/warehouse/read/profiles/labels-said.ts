import type { LabelKind } from '../../../investigate/model/label.ts';
import type { SaidLabel } from '../../../investigate/model/profile-reader.ts';
import type { WalletRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';

const QUERY = `
SELECT kind, name, entity, category, source, creator, confidence, valid_from, valid_to, inherited_from, evidence, asserted_at
FROM labels FINAL
WHERE chain = {chain:String} AND address = {wallet:String}
ORDER BY confidence DESC, asserted_at DESC, source, name
LIMIT 100`;

type Row = readonly [
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

/** Every source's label of one address, the most confident first. One query. */
export const readLabelsSaid = async (
  client: WarehouseClient,
  { chain, wallet, ...limits }: WalletRequest,
): Promise<readonly SaidLabel[]> => {
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, wallet } }, limits);
  return rows.map(
    ([kind, name, entity, category, source, creator, confidence, from, to, inheritedFrom, evidence, at]) => ({
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
    }),
  );
};
