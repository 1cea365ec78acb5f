import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS_OF_A_RANGE } from '../sql-clauses.ts';
import {
  type BlockPlace,
  blockKey,
  placeKey,
  type Shown,
  type StoredPart,
  type StoredTransaction,
} from './planned-record.ts';

// Not as an array: the sink must find the visible rows however large the hidden set is, or the set would
// never shrink.
const QUERY = `
SELECT 'part', number, hash, part, parts, movements, sequence FROM blocks
WHERE chain = {chain:String} AND number IN {numbers:Array(UInt64)} AND ${VISIBLE_ROWS_OF_A_RANGE}
UNION ALL
SELECT 'control', number, '', part, toUInt32(0), toUInt32(coverage), sequence FROM control_blocks
WHERE chain = {chain:String} AND number IN {numbers:Array(UInt64)} AND ${VISIBLE_ROWS_OF_A_RANGE}
UNION ALL
SELECT 'alone', block_number, hash, toUInt32(0), toUInt32(0), toUInt32(0), sequence FROM single_transactions
WHERE chain = {chain:String} AND block_number IN {numbers:Array(UInt64)} AND ${VISIBLE_ROWS_OF_A_RANGE}
UNION ALL
SELECT 'final', number, hash, toUInt32(0), toUInt32(0), toUInt32(0), toUInt64(0) FROM final_blocks
WHERE chain = {chain:String} AND number IN {numbers:Array(UInt64)}`;

type Row = readonly [
  what: 'part' | 'control' | 'alone' | 'final',
  number: string,
  hash: string,
  part: number,
  parts: number,
  /** For a part: its control coverage. */
  count: number,
  sequence: string,
];

/**
 * Finds the visible rows at these places, blocks or single transactions. One indexed query for each chain.
 */
export const findShown = async (client: WarehouseClient, places: readonly BlockPlace[]): Promise<Shown> => {
  const stored: (Omit<StoredPart, 'keepsControl'> & BlockPlace)[] = [];
  const coverage = new Map<number, number>();
  const alone: (StoredTransaction & BlockPlace)[] = [];
  const final = new Set<string>();
  for (const [chain, ofChain] of Map.groupBy(places, (place) => place.chain)) {
    const numbers = [...new Set(ofChain.map(({ blockNumber }) => blockNumber))];
    const rows = await askRows<Row>(client, QUERY, { chain, numbers });
    for (const [what, number, hash, part, parts, count, event] of rows) {
      const place = { chain, blockNumber: Number(number) };
      const sequence = Number(event);
      if (what === 'final') final.add(blockKey({ ...place, blockHash: hash }));
      else if (what === 'alone') alone.push({ ...place, hash, sequence });
      else if (what === 'control') coverage.set(sequence, count);
      else stored.push({ ...place, blockHash: hash, part, parts, movements: count, sequence });
    }
  }
  const parts = stored.map((part) => ({ ...part, keepsControl: coverage.get(part.sequence) ?? 0 }));
  const [storedAt, aloneAt] = [Map.groupBy(parts, placeKey), Map.groupBy(alone, placeKey)];
  return {
    partsAt: (place) => storedAt.get(placeKey(place)) ?? [],
    aloneAt: (place) => aloneAt.get(placeKey(place)) ?? [],
    isKeptFinal: (block) => final.has(blockKey(block)),
  };
};
