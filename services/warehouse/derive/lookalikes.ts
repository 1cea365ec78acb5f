import { CHAINS } from '../../investigate/model/chain.ts';
import { HAND_OVER_KINDS_LISTED } from '../sql-clauses.ts';
import { type Derivation, derive, deriveInSlices, refill } from './derivation.ts';
import { NEW_ROWS, SETTLED_ROWS } from './settled.ts';

/** Wallets show the ends of an address, so an imitation has at least this many of those characters equal. */
const PREFIX = 3;
const SUFFIX = 4;

/** A shape with more addresses comes from a program or contract factory and is no imitation. */
const ALIKE_MAX = 1_000;

const SHAPE = `concat(substring(address, if(chain IN {evm:Array(String)}, 3, 1), ${PREFIX}), substring(address, -${SUFFIX}))`;

const SHAPES = `
INSERT INTO address_shapes
SELECT chain, ${SHAPE} AS shape, address, min((block_number, tx_index, index)) FROM
(
  SELECT chain, block_number, tx_index, index, arrayJoin([from_address, to_address]) AS address FROM transfers
  WHERE ${NEW_ROWS}
)
WHERE address != ''
GROUP BY chain, address`;

const NEW_SHAPES = `
  SELECT DISTINCT chain, ${SHAPE} FROM
  (
    SELECT chain, arrayJoin([from_address, to_address]) AS address FROM transfers
    WHERE ${NEW_ROWS}
  )`;

/** Addresses that share their shape with another. There are few, so shapes are searched first. */
const alike = (isFirst: boolean): string => `
INSERT INTO alike_addresses
SELECT chain, one.1, shape, one.2 FROM
(
  SELECT chain, shape, groupArray(${ALIKE_MAX + 1})((address, seen)) AS addresses FROM
  (
    SELECT chain, shape, address, min(seen) AS seen FROM address_shapes
    WHERE (chain, shape) IN
    (
      SELECT chain, shape FROM address_shapes ${isFirst ? '' : `WHERE (chain, shape) IN (${NEW_SHAPES})`}
      GROUP BY chain, shape HAVING min(address) != max(address)
    )
    GROUP BY chain, shape, address
  )
  GROUP BY chain, shape HAVING length(addresses) <= ${ALIKE_MAX}
)
ARRAY JOIN addresses AS one
SETTINGS optimize_aggregation_in_order = 1`;

/**
 * Two EVM addresses agree in seven characters by chance once in 270 million pairs, and a large chain has more
 * pairs than that. So a pair counts only for a wallet that dealt with both, in either direction and with any
 * amount.
 */
const PAIRS = `
INSERT INTO lookalikes
WITH dealings AS
(
  SELECT chain, counterparty AS victim, address, min((block_number, tx_index, index, block_time)) AS met
  FROM account_entries
  WHERE (chain, address) IN (SELECT chain, address FROM alike_addresses) AND counterparty NOT IN ('', address)
    AND kind IN (${HAND_OVER_KINDS_LISTED}) AND ${SETTLED_ROWS}
  GROUP BY chain, counterparty, address
)
SELECT chain, victim, one.1, two.1, one.2, one.3, two.3 FROM
(
  SELECT d.chain AS chain, victim, groupArray((d.address, met, seen)) AS met_alike
  FROM dealings AS d INNER JOIN alike_addresses AS a ON a.chain = d.chain AND a.address = d.address
  GROUP BY d.chain, victim, shape HAVING length(met_alike) > 1
)
ARRAY JOIN met_alike AS one ARRAY JOIN met_alike AS two
WHERE one.1 != two.1`;

const SHAPE_PARAMS = { evm: CHAINS.filter(({ family }) => family === 'evm').map(({ name }) => name) };

export const lookalikes: Derivation = {
  name: 'lookalikes',
  rules: [SHAPES, alike(true), PAIRS, SHAPE_PARAMS],
  tables: ['address_shapes', 'lookalikes'],
  run: async (run) => {
    await deriveInSlices(run, SHAPES, SHAPE_PARAMS);
    await refill(run, 'alike_addresses', alike(run.isFirst), SHAPE_PARAMS);
    await derive(run, PAIRS);
  },
};
