import type { AssertedLabel, Label } from '../../investigate/model/label.ts';
import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import { chooseLabel } from '../../labels/rules/choose-label.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';

type LabelsRequest = ReadLimits & { readonly chain: string; readonly addresses: readonly string[] };

const QUERY = `
SELECT address, kind, name, entity, category, source, creator, confidence, valid_from, valid_to, inherited_from,
  evidence, asserted_at
FROM labels FINAL
WHERE chain = {chain:String} AND address IN {addresses:Array(String)}`;

type Row = readonly [
  address: string,
  kind: AssertedLabel['kind'],
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

/** One query: everything that any source says of the addresses, past and present; those nobody knows are missing. */
export const readAllLabels = async (
  client: WarehouseClient,
  { chain, addresses, ...limits }: LabelsRequest,
): Promise<ReadonlyMap<string, readonly AssertedLabel[]>> => {
  if (addresses.length === 0) return new Map();
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, addresses } }, limits);
  return Map.groupBy(
    rows.map((row) => toLabel(chain, row)),
    ({ address }) => address,
  );
};

/** One query: who the addresses are at a time (unix seconds), as `chooseLabel` decides. */
export const readLabels = async (
  client: WarehouseClient,
  { atUnixSeconds, ...request }: LabelsRequest & { readonly atUnixSeconds: number },
): Promise<ReadonlyMap<string, Label>> => {
  const shown = new Map<string, Label>();
  for (const [address, labels] of await readAllLabels(client, request)) {
    const label = chooseLabel(labels, atUnixSeconds);
    if (label) shown.set(address, { name: label.name, kind: label.kind });
  }
  return shown;
};

const toLabel = (chain: string, row: Row): AssertedLabel => {
  const [address, kind, name, entity, category, source, creator, confidence] = row;
  const [validFrom, validTo, inheritedFrom, evidence, assertedAt] = row.slice(8) as string[];
  return {
    chain,
    address,
    kind,
    name,
    entity,
    category,
    source,
    creator,
    confidence,
    validFrom: timeOf(validFrom),
    validTo: timeOf(validTo),
    inheritedFrom: inheritedFrom || null,
    evidence: evidence ?? '',
    assertedAt: Number(assertedAt),
  };
};

const timeOf = (seconds: string | undefined): number | null => Number(seconds ?? 0) || null;
