import type { Label } from '../../../investigate/model/label.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import { describeLabels } from '../../../labels/rules/choose-label.ts';
import { chainsOfKey, holdingOn, mayInherit } from '../../../labels/rules/inherit-labels.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import type { HeldLabels, LabelRow } from '../../labels/held-labels.ts';
import { askTables } from '../ask-tables.ts';
import { readContractsSeen } from '../control/contracts-seen.ts';

// Only the columns that decide which label is shown: for a thousand addresses, every further column costs a
// thousand reads.
const QUERY = `
SELECT chain, address, kind, name, source, creator, confidence, valid_from, valid_to, asserted_at
FROM labels FINAL
WHERE chain IN {chains:Array(String)} AND address IN {addresses:Array(String)}`;

// Each address is a seek of its own. Queries of this size run in parallel, up to two.
const ADDRESSES_EACH = 500;

/**
 * Labels of the addresses at a time (unix seconds), as `describeLabels` decides from all sources, past and
 * present. On EVM chains those count, too, that another chain's labels say of the same key. No query for labels that the process holds itself, otherwise one for every 500; one more where a label of
 * another chain may hold.
 */
export const readLabels = async (
  client: WarehouseClient,
  held: HeldLabels,
  { chain, atUnixSeconds }: OnChain & { readonly atUnixSeconds: number },
  addresses: readonly string[],
  limits: ReadLimits,
): Promise<readonly (Label | null)[]> => {
  const chains = chainsOfKey(chain);
  const { rows, unheld } = held.read(chains, addresses);
  const asked = await askLabels(client, { chains, addresses: unheld, ...limits });
  const said = Map.groupBy([...rows, ...asked].map(toCandidate), ({ address }) => address);
  const contracts = await readContractsSeen(client, {
    chains,
    addresses: inheriting(said, chain),
    ...limits,
  });
  return addresses.map((address) => {
    const labels = holdingOn(chain, said.get(address) ?? [], contracts.get(address));
    return describeLabels(labels, atUnixSeconds) ?? null;
  });
};

type Said = ReturnType<typeof toCandidate>;

/** Addresses of which another chain's labels may hold. */
const inheriting = (said: ReadonlyMap<string, readonly Said[]>, chain: string): string[] =>
  [...said].flatMap(([address, labels]) =>
    labels.some((label) => label.chain !== chain && mayInherit(label)) ? [address] : [],
  );

const askLabels = async (
  client: WarehouseClient,
  {
    chains,
    addresses,
    ...limits
  }: ReadLimits & { readonly chains: readonly string[]; readonly addresses: readonly string[] },
): Promise<readonly LabelRow[]> => {
  const slices = Array.from({ length: Math.ceil(addresses.length / ADDRESSES_EACH) }, (_, i) =>
    addresses.slice(i * ADDRESSES_EACH, (i + 1) * ADDRESSES_EACH),
  );
  const rows = await Promise.all(
    slices.map((slice) =>
      askTables<LabelRow>(client, { query: QUERY, params: { chains, addresses: slice } }, limits),
    ),
  );
  return rows.flat();
};

const toCandidate = ([
  chain,
  address,
  kind,
  name,
  source,
  creator,
  confidence,
  validFrom,
  validTo,
  assertedAt,
]: LabelRow) => ({
  chain,
  address,
  kind,
  name,
  source,
  creator,
  confidence,
  validFrom: Number(validFrom) || null,
  validTo: Number(validTo) || null,
  assertedAt: Number(assertedAt),
});
