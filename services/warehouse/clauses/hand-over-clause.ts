import { HAND_OVER_KINDS } from '../../investigate/model/transfer-reader.ts';
import { VISIBLE_ROWS_OF_A_RANGE } from './visible-rows.ts';

/** For `kind IN (…)`. */
export const HAND_OVER_KINDS_LISTED = HAND_OVER_KINDS.map((kind) => `'${kind}'`).join(', ');

/** One range of rows of `account_entries` in which `{wallet:String}` gave something to somebody else, or got something. */
export const handOvers = (direction: 'out' | 'in'): string => `
    chain = {chain:String} AND address = {wallet:String} AND direction = '${direction}'
    AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', {wallet:String})
    AND ${VISIBLE_ROWS_OF_A_RANGE}`;
