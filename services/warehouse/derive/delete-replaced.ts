import { askForRows, type DerivationRun, type Slice } from './derivation.ts';

// Parameters of a command travel in its address, which has a limit.
const AT_ONCE = 500;

/** Rows of blocks that fuller or final copies have replaced. */
export type Replaced = {
  readonly table: string;
  /** By which its rows are deleted, as text. */
  readonly key: string;
  /** Gives `(chain, key)` of what is to be deleted. */
  readonly query: string;
};

/**
 * Deletes from a table of facts what its new events no longer say. Before these are derived: cut off in between, the next run
 * finds the same events new and makes the facts again.
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
