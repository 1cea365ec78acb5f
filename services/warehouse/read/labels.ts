import type { Label, LabelKind } from '../../investigate/model/label.ts';
import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import { describeLabels } from '../../labels/rules/choose-label.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';

// Only what decides which label is shown: every further column costs a thousand reads where a thousand addresses are asked for.
const QUERY = `
SELECT address, kind, name, source, creator, confidence, valid_from, valid_to, asserted_at
FROM labels FINAL
WHERE chain = {chain:String} AND address IN {addresses:Array(String)}`;

type Row = readonly [
  address: string,
  kind: LabelKind,
  name: string,
  source: string,
  creator: string,
  confidence: number,
  validFrom: string,
  validTo: string,
  assertedAt: string,
];

// Each address is a seek of its own. Questions of that many go side by side, one a core where there are two.
const ADDRESSES_EACH = 500;

/**
 * Who the addresses are at a time (unix seconds), as `describeLabels` decides from everything that any source says of them,
 * past and present; those nobody knows are missing. One query for every 500.
 */
export const readLabels = async (
  client: WarehouseClient,
  {
    chain,
    addresses,
    atUnixSeconds,
    ...limits
  }: ReadLimits & {
    readonly chain: string;
    readonly addresses: readonly string[];
    readonly atUnixSeconds: number;
  },
): Promise<ReadonlyMap<string, Label>> => {
  const slices = Array.from({ length: Math.ceil(addresses.length / ADDRESSES_EACH) }, (_, i) =>
    addresses.slice(i * ADDRESSES_EACH, (i + 1) * ADDRESSES_EACH),
  );
  const rows = await Promise.all(
    slices.map((slice) =>
      askTables<Row>(client, { query: QUERY, params: { chain, addresses: slice } }, limits),
    ),
  );
  const shown = new Map<string, Label>();
  for (const [address, said] of Map.groupBy(rows.flat(), ([of]) => of)) {
    const label = describeLabels(said.map(toCandidate), atUnixSeconds);
    if (label) shown.set(address, label);
  }
  return shown;
};

const toCandidate = ([, kind, name, source, creator, confidence, validFrom, validTo, assertedAt]: Row) => ({
  kind,
  name,
  source,
  creator,
  confidence,
  validFrom: Number(validFrom) || null,
  validTo: Number(validTo) || null,
  assertedAt: Number(assertedAt),
});
