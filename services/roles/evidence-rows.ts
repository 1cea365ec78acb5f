import type { EvidenceRow } from '../evidence/evidence-row.ts';
import { EvidenceTooLargeError, type ReadRows } from '../evidence/gather-rows.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { type PlacedMovement, readPlacedMovements } from '../warehouse/read/transactions/placed-movements.ts';

const TIMEOUT_MS = 60_000;

/** Reads evidence from the tables, at most so many movements of one query. */
export const readEvidence =
  (client: WarehouseClient, rowsMax: number): ReadRows =>
  async (chain, hashes, signal) => {
    const asked = { chain, hashes, limit: rowsMax + 1, signal, timeoutMs: TIMEOUT_MS };
    const moved = await readPlacedMovements(client, asked);
    if (moved.length > rowsMax) throw new EvidenceTooLargeError(rowsMax);
    return moved.map(toRow);
  };

const toRow = ({ blockHash, timeUnixSeconds, amountRaw, ...row }: PlacedMovement): EvidenceRow => ({
  ...row,
  block_hash: blockHash,
  time: timeUnixSeconds,
  amount_raw: String(amountRaw),
});
