/**
 * The condition every question puts to a table with events in it: rows of blocks that their chain abandoned stay in the
 * tables for a while. As an array the set is a constant before the question is planned; as a plain subquery it had the ranges
 * of the key looked for twice. See docs/decisions/0011-abandoned-blocks.md and 0033-rounds.md.
 */
export const VISIBLE_ROWS = 'sequence NOT IN arrayDistinct((SELECT groupArray(sequence) FROM retracted))';

/**
 * The same for a question about one range of a key: to look for that twice costs less than an array of what is retracted. See
 * docs/decisions/0033-rounds.md.
 */
export const VISIBLE_ROWS_OF_A_RANGE = 'sequence NOT IN (SELECT sequence FROM retracted)';
