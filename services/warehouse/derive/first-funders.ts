import { HAND_OVER_KINDS_LISTED } from '../sql-clauses.ts';
import { deleteReplaced } from './delete-replaced.ts';
import { type Derivation, derive, deriveInSlices, inSlices } from './derivation.ts';
import { NEW_ROWS } from './settled.ts';

const FIRST = 'min((block_number, tx_index, index, block_time, from_address, amount))';
const PAID = `
FROM transfers
WHERE ${NEW_ROWS}
  AND asset = 'native' AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND from_address != to_address
  AND from_address != '' AND to_address != ''`;

const FUNDERS = `
INSERT INTO first_funders
SELECT chain, to_address, ${FIRST}${PAID}
GROUP BY chain, to_address`;

/**
 * Wallets whose first funder paid them in a block in whose place a new one stands, in which another one is their first. One
 * that is not paid in that block any more keeps its first funder: to find it, all wallets would be looked through.
 */
const REPLACED = {
  table: 'first_funders',
  key: 'wallet',
  query: `
SELECT chain, wallet
FROM (SELECT chain, to_address AS wallet, block_number, ${FIRST} AS now ${PAID} GROUP BY chain, to_address, block_number) AS paid
INNER JOIN (
  SELECT chain, wallet, min(first) AS known FROM first_funders
  WHERE (chain, wallet) IN (SELECT chain, to_address ${PAID}) GROUP BY chain, wallet) AS told USING (chain, wallet)
WHERE known.1 = block_number AND known < now`,
};

/**
 * Wallets are long keys: grouped they take more time and memory than anything else of so many movements, and a set of them
 * is never spilled to disk.
 */
const SLICE_SHARE = 1 / 4;

/** First funders of the wallets that new events paid. Unchanged rows are merged away by the table. */
const groups = (isFirst: boolean): string => `
INSERT INTO funder_groups
SELECT chain, min(first).funder, wallet FROM first_funders
${
  isFirst
    ? ''
    : `WHERE (chain, wallet) IN (
  SELECT chain, to_address FROM transfers
  WHERE ${NEW_ROWS} AND asset = 'native')`
}
GROUP BY chain, wallet`;

/** The earliest of what is known: new events can only make it earlier, so only they are read. */
export const firstFunders: Derivation = {
  name: 'first-funders',
  rules: [FUNDERS, groups(true)],
  tables: ['first_funders', 'funder_groups'],
  run: async (whole) => {
    const run = { ...whole, sliceRows: Math.ceil(whole.sliceRows * SLICE_SHARE) };
    if (!run.isFirst) await inSlices(run, (slice) => deleteReplaced(run, REPLACED, slice));
    await deriveInSlices(run, FUNDERS);
    if (run.isFirst) await derive(run, groups(true));
    else await deriveInSlices(run, groups(false));
  },
};
