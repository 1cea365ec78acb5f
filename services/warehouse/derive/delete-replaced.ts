import { askForRows, type DerivationRun, type Slice } from './derivation.ts';

// Parameters of a command are sent in its URL, which has a size limit.
const AT_ONCE = 500;

/** Rows of blocks that fuller or final copies have replaced. */
export type Replaced = {
  readonly table: string;
  /** The key of the rows to delete, as text. */
  readonly key: string;
  /** Selects `(chain, key)` of the rows to delete. */
  readonly query: string;
};

/**
 * Deletes facts of a table that no longer follow from its new events. Runs before these events are derived:
 * after an interruption the next run finds them new and derives the facts again.
 */
export const deleteReplaced = async (
  run: DerivationRun,
  { table, key, query }: Replaced,
  slice: Slice,
): Promise<void> => {
  const found = await askForRows<[chain: string, value: string]>(run, query, slice);
  for (const [chain, rows] of Map.groupBy(found, ([of]) => of)) {
    const values = rows.map(([, value]) => value);
    for (let start = 0; start < values.length; start += AT_ONCE) {
      await run.client.command({
        query: `DELETE FROM ${table} WHERE chain = {chain:String} AND ${key} IN {values:Array(String)}`,
        query_params: { chain, values: values.slice(start, start + AT_ONCE) },
      });
    }
  }
};
