import { HAND_OVER_KINDS_LISTED } from '../clauses/hand-over-clause.ts';
import { type Derivation, derive, deriveInSlices } from './derivation.ts';
import { NEW_ROWS } from './settled.ts';

const FUNDERS = `
INSERT INTO first_funders
SELECT chain, to_address, min((block_number, tx_index, index, block_time, from_address, amount))
FROM transfers
WHERE ${NEW_ROWS}
  AND asset = 'native' AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND from_address != to_address
  AND from_address != '' AND to_address != ''
GROUP BY chain, to_address`;

/** Of the wallets that new events paid; the same again where nothing changed, which the table merges away. */
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
  run: async (run) => {
    await deriveInSlices(run, FUNDERS);
    await derive(run, groups(run.isFirst));
  },
};
