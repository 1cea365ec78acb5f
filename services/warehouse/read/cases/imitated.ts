import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';

/**
 * The later address imitates the other. Among several originals, the one that the victim's chain saw first
 * counts.
 */
const QUERY = `
SELECT victim, argMin(original, known) FROM
(
  SELECT victim, original, min(seen) AS came, min(original_seen) AS known
  FROM lookalikes
  WHERE chain = {chain:String} AND victim IN {among:Array(String)} AND lookalike = {lookalike:String}
  GROUP BY victim, original
)
WHERE known < came
GROUP BY victim`;

/** One query, a point of the key for each of them. */
export const readImitated = async (
  client: WarehouseClient,
  { chain, lookalike }: OnChain & { readonly lookalike: string },
  among: readonly string[],
  limits: ReadLimits,
): Promise<readonly (string | null)[]> => {
  const question = { query: QUERY, params: { chain, lookalike, among } };
  const original = new Map(
    await askTables<readonly [victim: string, original: string]>(client, question, limits),
  );
  return among.map((victim) => original.get(victim) ?? null);
};
