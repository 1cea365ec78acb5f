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
 * Wallets whose first funding was in a block that was replaced, where the new block has another first
 * funding. A wallet that is not funded in that block any more keeps its first funder, because finding another
 * would need a scan of all wallets.
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
 * Wallets are long keys: grouping by them takes most of the time and memory, and a set of them never spills
 * to disk.
 */
const SLICE_SHARE = 1 / 4;

/** First funders of the wallets that new events paid. The table merges unchanged rows away. */
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

/** Merges the earliest: new events can only make it earlier, so only they are read. */
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
