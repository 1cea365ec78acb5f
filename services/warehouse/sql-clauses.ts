import { HAND_OVER_KINDS } from '../investigate/model/transfer-reader.ts';

/**
 * The condition of every query to a table of events, because rows of abandoned blocks stay in the tables for
 * a while. As an array the set is a constant before the query is planned. As a plain subquery it made the
 * engine look up the ranges of the key twice. See docs/decisions/0011-abandoned-blocks.md and 0033-rounds.md.
 */
export const VISIBLE_ROWS = 'sequence NOT IN arrayDistinct((SELECT groupArray(sequence) FROM retracted))';

/**
 * The same for one range of a key, where looking it up twice costs less than an array of the retracted events
 * (0033-rounds.md).
 */
export const VISIBLE_ROWS_OF_A_RANGE = 'sequence NOT IN (SELECT sequence FROM retracted)';

/** For `kind IN (…)`. */
export const HAND_OVER_KINDS_LISTED = HAND_OVER_KINDS.map((kind) => `'${kind}'`).join(', ');

/** One range of rows of `account_entries` with the wallet's outflows to others, or its inflows. */
export const handOvers = (direction: 'out' | 'in', wallet = '{wallet:String}'): string => `
    chain = {chain:String} AND address = ${wallet} AND direction = '${direction}'
    AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', ${wallet})
    AND ${VISIBLE_ROWS_OF_A_RANGE}`;

/**
 * Two columns for the sum of amounts when the condition holds. A plain sum has 256 bits and wraps, because a
 * contract can log any amount.
 */
export const exactSum = (condition: string): string =>
  `sumIf(amount, ${condition}), sumIf(bitShiftRight(amount, 128), ${condition})`;

/** The sum from these two columns. The lower halves cannot wrap: there are never 2^128 rows. */
export const toExactSum = (wrapped: string, upperHalves: string): bigint => {
  const upper = BigInt(upperHalves) << 128n;
  return upper + BigInt.asUintN(256, BigInt(wrapped) - upper);
};

const HALF = "toInt256('340282366920938463463374607431768211456')";

/**
 * The sum of amounts, each times `sign`, as a tuple (upper, lower) in units of 2^128 and 1, where lower is at
 * least 0 and below 2^128. So tuples compare as sums do. A cast of a whole amount to a signed type would make
 * amounts from 2^255 on negative.
 */
export const signedSum = (sign: string): string => {
  const partOf = (part: string): string => `sum(${sign} * toInt256(${part}))`;
  const upper = partOf('bitShiftRight(amount, 128)');
  const lower = partOf(`amount % toUInt256(${HALF})`);
  const carry = `if(${lower} >= 0, intDiv(${lower}, ${HALF}), -intDiv(${HALF} - 1 - ${lower}, ${HALF}))`;
  return `(${upper} + ${carry}, ${lower} - ${carry} * ${HALF})`;
};

/** The sum from such a tuple, or from the sums of both of its parts. */
export const toSignedSum = (upper: string, lower: string): bigint => (BigInt(upper) << 128n) + BigInt(lower);

/**
 * Where system tables list the tables that contain our rows. On a cluster they have the same names in the
 * database beside the queried one (platform/warehouse-engine/server/cluster-statements.ts).
 */
export const OWN_DATABASES = "database IN (currentDatabase(), concat(currentDatabase(), '_local'))";
