import { CHAINS } from '../../investigate/model/chain.ts';
import { type Derivation, derive } from './derivation.ts';
import { NEW_BLOCKS, NEW_EVENTS, SETTLED_ROWS } from './settled.ts';

/** Wallets show the ends of an address: who imitates one makes at least so many characters of them equal. */
const PREFIX = 3;
const SUFFIX = 4;

const SHAPE = `concat(substring(address, if(chain IN {evm:Array(String)}, 3, 1), ${PREFIX}), substring(address, -${SUFFIX}))`;

const NEW_SHAPES = `
  SELECT DISTINCT chain, ${SHAPE} AS shape, address FROM
  (
    SELECT chain, arrayJoin([from_address, to_address]) AS address FROM transfers
    WHERE (chain, block_number) IN (${NEW_BLOCKS}) AND ${NEW_EVENTS}
  )
  WHERE address != ''`;

const SHAPES = `INSERT INTO address_shapes ${NEW_SHAPES}`;

/**
 * Two addresses of seven equal characters meet by chance once in 270 million pairs (on an EVM chain), and a large chain has
 * more pairs than that. So a pair counts only for a wallet that dealt with both.
 */
const PAIRS = `
INSERT INTO lookalikes
WITH
shapes AS
(
  SELECT DISTINCT chain, shape, address FROM address_shapes
  WHERE (chain, shape) IN (SELECT chain, shape FROM (${NEW_SHAPES}))
),
alike AS
(
  SELECT a.chain AS chain, a.address AS address, b.address AS other
  FROM shapes AS a INNER JOIN shapes AS b ON a.chain = b.chain AND a.shape = b.shape
  WHERE a.address != b.address
),
dealings AS
(
  SELECT chain, counterparty AS victim, address, min((block_number, tx_index, index, block_time)) AS met
  FROM account_entries
  WHERE (chain, address) IN (SELECT chain, address FROM alike) AND counterparty NOT IN ('', address) AND ${SETTLED_ROWS}
  GROUP BY chain, counterparty, address
)
SELECT alike.chain, one.victim, alike.address, alike.other, one.met, two.met
FROM alike
INNER JOIN dealings AS one ON one.chain = alike.chain AND one.address = alike.address
INNER JOIN dealings AS two ON two.chain = alike.chain AND two.address = alike.other AND two.victim = one.victim`;

export const lookalikes: Derivation = {
  name: 'lookalikes',
  run: async (run) => {
    const evm = CHAINS.filter(({ family }) => family === 'evm').map(({ name }) => name);
    await derive(run, SHAPES, { evm });
    await derive(run, PAIRS, { evm });
  },
};
