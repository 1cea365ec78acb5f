import type { TraceReader } from '../model/trace-reader.ts';
import { transactionKey } from '../model/transfer-reader.ts';

/**
 * A reader for one trace that queries each transaction hash once. Rows read for fees already carry their
 * hashes.
 */
export const rememberHashes = (reader: TraceReader): TraceReader => {
  const known = new Map<string, string>();
  return {
    ...reader,
    transactionRows: async (request) => {
      const rows = await reader.transactionRows(request);
      for (const row of rows) known.set(transactionKey(row), row.hash);
      return rows;
    },
    transactionHashes: async (request) => {
      const unknown = request.positions.filter((position) => !known.has(transactionKey(position)));
      const read = await reader.transactionHashes({ ...request, positions: unknown });
      for (const [index, position] of unknown.entries()) {
        const hash = read[index];
        if (hash) known.set(transactionKey(position), hash);
      }
      return request.positions.map((position) => known.get(transactionKey(position)) ?? null);
    },
  };
};
