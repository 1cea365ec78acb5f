import { deleteReplaced } from './delete-replaced.ts';
import { type Derivation, deriveInSlices, inSlices } from './derivation.ts';
import { NEW_ROWS } from './settled.ts';

const FIRST = 'min((block_number, tx_index, index, block_time))';
const MOVED = `FROM transfers WHERE ${NEW_ROWS} AND asset_family != 'native'`;

const FIRSTS = `INSERT INTO token_firsts SELECT chain, asset_family, ${FIRST} ${MOVED} GROUP BY chain, asset_family`;

/** Tokens first named in a block that was replaced, when the new block names them later or not at all. */
const REPLACED = {
  table: 'token_firsts',
  key: 'asset',
  query: `
SELECT chain, asset
FROM (SELECT chain, asset_family AS asset, block_number, ${FIRST} AS now ${MOVED} GROUP BY chain, asset, block_number) AS moved
INNER JOIN (
  SELECT chain, asset, min(first) AS known FROM token_firsts
  WHERE (chain, asset) IN (SELECT chain, asset_family ${MOVED}) GROUP BY chain, asset) AS told USING (chain, asset)
WHERE known.1 = block_number AND known < now`,
};

/** When each token was first named. Merges the earliest: new events can only make it earlier. */
export const tokenFirsts: Derivation = {
  name: 'token-firsts',
  rules: [FIRSTS],
  tables: ['token_firsts'],
  run: async (run) => {
    if (!run.isFirst) await inSlices(run, (slice) => deleteReplaced(run, REPLACED, slice));
    await deriveInSlices(run, FIRSTS);
  },
};
