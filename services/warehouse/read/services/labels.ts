import type { Label } from '../../../investigate/model/label.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import { describeLabels } from '../../../labels/rules/choose-label.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import type { HeldLabels, LabelRow } from '../../labels/held-labels.ts';
import { askTables } from '../ask-tables.ts';

// Only the columns that decide which label is shown: for a thousand addresses, every further column costs a
// thousand reads.
const QUERY = `
SELECT address, kind, name, source, creator, confidence, valid_from, valid_to, asserted_at
FROM labels FINAL
WHERE chain = {chain:String} AND address IN {addresses:Array(String)}`;

// Each address is a seek of its own. Queries of this size run in parallel, up to two.
const ADDRESSES_EACH = 500;

type LabelsRequest = ReadLimits & { readonly chain: string; readonly addresses: readonly string[] };

/**
 * Labels of the addresses at a time (unix seconds), as `describeLabels` decides from all sources, past and
 * present. Unknown addresses are missing. No query for labels that the process holds itself, otherwise one
 * for every 500.
 */
export const readLabels = async (
  client: WarehouseClient,
  held: HeldLabels,
  { atUnixSeconds, ...request }: LabelsRequest & { readonly atUnixSeconds: number },
): Promise<ReadonlyMap<string, Label>> => {
  const { rows, unheld } = held.read(request.chain, request.addresses);
  const asked = await askLabels(client, { ...request, addresses: unheld });
  const shown = new Map<string, Label>();
  for (const [address, said] of Map.groupBy([...rows, ...asked], ([of]) => of)) {
    const label = describeLabels(said.map(toCandidate), atUnixSeconds);
    if (label) shown.set(address, label);
  }
  return shown;
};

const askLabels = async (
  client: WarehouseClient,
  { chain, addresses, ...limits }: LabelsRequest,
): Promise<readonly LabelRow[]> => {
  const slices = Array.from({ length: Math.ceil(addresses.length / ADDRESSES_EACH) }, (_, i) =>
    addresses.slice(i * ADDRESSES_EACH, (i + 1) * ADDRESSES_EACH),
  );
  const rows = await Promise.all(
    slices.map((slice) =>
      askTables<LabelRow>(client, { query: QUERY, params: { chain, addresses: slice } }, limits),
    ),
  );
  return rows.flat();
};

const toCandidate = ([
  ,
  kind,
  name,
  source,
  creator,
  confidence,
  validFrom,
  validTo,
  assertedAt,
]: LabelRow) => ({
  kind,
  name,
  source,
  creator,
  confidence,
  validFrom: Number(validFrom) || null,
  validTo: Number(validTo) || null,
  assertedAt: Number(assertedAt),
});
