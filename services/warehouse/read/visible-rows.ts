/**
 * The condition every question puts to a table with events in it: rows of blocks that their chain abandoned stay in the
 * tables for a while. See docs/decisions/0011-abandoned-blocks.md for what it costs and what was tried instead.
 */
export const VISIBLE_ROWS = 'sequence NOT IN (SELECT sequence FROM retracted)';
