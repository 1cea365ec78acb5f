import type { EvidenceRow } from '../evidence/evidence-row.ts';
import type { ReadLabels } from '../evidence/gather-labels.ts';
import type { ReadRows } from '../evidence/gather-rows.ts';
import { parseAddress } from '../investigate/model/address.ts';
import { findChain } from '../investigate/model/chain.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { readLabelsSaid } from '../warehouse/read/profiles/labels-said.ts';
import { type PlacedMovement, readPlacedMovements } from '../warehouse/read/transactions/placed-movements.ts';

const TIMEOUT_MS = 60_000;

/** Reads evidence from the tables. */
export const readEvidence =
  (client: WarehouseClient): ReadRows =>
  async (chain, hashes, { rowsMax, signal }) => {
    const asked = { chain, hashes, limit: rowsMax + 1, signal, timeoutMs: TIMEOUT_MS };
    return (await readPlacedMovements(client, asked)).map(toRow);
  };

/** Reads from the tables what sources say of an address. */
export const readSources =
  (client: WarehouseClient): ReadLabels =>
  async (chain, address, signal) => {
    const found = findChain(chain);
    const parsed = found && parseAddress(found, address);
    if (!parsed?.ok) return [];
    const said = await readLabelsSaid(client, {
      chain,
      wallet: parsed.address,
      signal,
      timeoutMs: TIMEOUT_MS,
    });
    return said.map(({ name, kind, source, confidence, assertedAt }) => ({
      ...{ chain, address, name, kind, source, confidence, asserted_at: assertedAt },
    }));
  };

const toRow = ({ blockHash, timeUnixSeconds, amountRaw, ...row }: PlacedMovement): EvidenceRow => ({
  ...row,
  block_hash: blockHash,
  time: timeUnixSeconds,
  amount_raw: String(amountRaw),
});
