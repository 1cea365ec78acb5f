import { CHAINS } from '../../investigate/model/chain.ts';
import { type Derivation, derive } from './derivation.ts';
import { NEW_BLOCKS, NEW_EVENTS, SETTLED_ROWS } from './settled.ts';

/** Wallets show the ends of an address: who imitates one makes at least so many characters of them equal. */
const PREFIX = 3;
const SUFFIX = 4;

/** A shape that more addresses have is somebody's program or contract factory, and nobody's imitation. */
const ALIKE_MAX = 1_000;

const SHAPE = `concat(substring(address, if(chain IN {evm:Array(String)}, 3, 1), ${PREFIX}), substring(address, -${SUFFIX}))`;

const NEW_SHAPES = `
  SELECT DISTINCT chain, ${SHAPE} AS shape, address FROM
  (
    SELECT chain, arrayJoin([from_address, to_address]) AS address FROM transfers
    WHERE (chain, block_number) IN (${NEW_BLOCKS}) AND ${NEW_EVENTS}
  )
  WHERE address != ''`;

const SHAPES = `INSERT INTO address_shapes ${NEW_SHAPES}`;

/** Addresses that share their shape with another. */
const shared = (isFirst: boolean): string => `
  SELECT chain, arrayJoin(addresses) AS address FROM
  (
    SELECT chain, groupUniqArray(${ALIKE_MAX + 1})(address) AS addresses FROM address_shapes
    ${isFirst ? '' : `WHERE (chain, shape) IN (SELECT chain, shape FROM (${NEW_SHAPES}))`}
    GROUP BY chain, shape HAVING length(addresses) BETWEEN 2 AND ${ALIKE_MAX}
    SETTINGS optimize_aggregation_in_order = 1
  )`;

/**
 * Two addresses of seven equal characters meet by chance once in 270 million pairs (on an EVM chain), and a large chain has
 * more pairs than that. So a pair counts only for a wallet that dealt with both.
 */
const pairs = (isFirst: boolean): string => `
INSERT INTO lookalikes
WITH dealings AS
(
  SELECT chain, counterparty AS victim, address, min((block_number, tx_index, index, block_time)) AS met
  FROM account_entries
  WHERE (chain, address) IN (${shared(isFirst)}) AND counterparty NOT IN ('', address) AND ${SETTLED_ROWS}
  GROUP BY chain, counterparty, address
)
SELECT chain, victim, one.1, two.1, one.2, two.2 FROM
(
  SELECT chain, victim, groupArray((address, met)) AS alike
  FROM dealings GROUP BY chain, victim, ${SHAPE} HAVING length(alike) > 1
)
ARRAY JOIN alike AS one ARRAY JOIN alike AS two
WHERE one.1 != two.1`;

export const lookalikes: Derivation = {
  name: 'lookalikes',
  run: async (run) => {
    const evm = CHAINS.filter(({ family }) => family === 'evm').map(({ name }) => name);
    await derive(run, SHAPES, { evm });
    await derive(run, pairs(run.isFirst), { evm });
  },
};
