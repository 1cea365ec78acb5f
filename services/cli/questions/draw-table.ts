import Table from 'cli-table3';

/** Rows as a table for a terminal; the cells must be safe to print. */
export const drawTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) table.push([...row]);
  return table.toString();
};
