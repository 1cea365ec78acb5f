import type { EvidenceRow } from '../evidence/evidence-row.ts';
import type { ReadRows } from '../evidence/gather-rows.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { type PlacedMovement, readPlacedMovements } from '../warehouse/read/transactions/placed-movements.ts';

const TIMEOUT_MS = 60_000;

/** Reads evidence from the tables. */
export const readEvidence =
  (client: WarehouseClient): ReadRows =>
  async (chain, hashes, { rowsMax, signal }) => {
    const asked = { chain, hashes, limit: rowsMax + 1, signal, timeoutMs: TIMEOUT_MS };
    return (await readPlacedMovements(client, asked)).map(toRow);
  };

const toRow = ({ blockHash, timeUnixSeconds, amountRaw, ...row }: PlacedMovement): EvidenceRow => ({
  ...row,
  block_hash: blockHash,
  time: timeUnixSeconds,
  amount_raw: String(amountRaw),
});
