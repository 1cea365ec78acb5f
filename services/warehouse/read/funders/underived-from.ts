import { SEQUENCE_SLOTS } from '../../../events/event-sequence.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const NAMES = ['first-funders', 'token-firsts', 'lookalikes'];

/** A lane that one of them has not started counts from its first event. */
const REACHED = `
SELECT lane, if(count() = length({names:Array(String)}), min(next), 0)
FROM derivations FINAL
WHERE derivation IN {names:Array(String)}
GROUP BY lane`;

const FIRST = `
SELECT count(), min(number) FROM blocks
WHERE chain = {chain:String} AND ${VISIBLE_ROWS}
  AND sequence >= transform(sequence % ${SEQUENCE_SLOTS}, {lanes:Array(UInt64)}, {ends:Array(UInt64)}, 0)`;

/** Two queries, and one more for each further chain: the progress of each derivation, then three columns of the chain's blocks. */
export const readUnderivedFrom = async (
  client: WarehouseClient,
  chains: readonly string[],
  limits: ReadLimits,
): Promise<readonly (number | null)[]> => {
  const progress = { query: REACHED, params: { names: NAMES } };
  const reached = await askTables<readonly [lane: number, next: string]>(client, progress, limits);
  // Without any lane nothing has been started.
  const known = reached.length > 0 ? reached : ([[0, '0']] as const);
  const of = { lanes: known.map(([lane]) => lane), ends: known.map(([, next]) => Number(next)) };
  return Promise.all(
    chains.map(async (chain) => {
      const question = { query: FIRST, params: { chain, ...of } };
      const [row] = await askTables<readonly [count: string, number: string]>(client, question, limits);
      return row === undefined || row[0] === '0' ? null : Number(row[1]);
    }),
  );
};
