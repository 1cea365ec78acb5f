import { CHAINS } from '../../investigate/model/chain.ts';
import { KNOWN_ASSETS } from '../../investigate/model/known-assets.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { AUTHORITIES } from '../../labels/rules/authorities.ts';
import { quoteIdentifier, quoteString } from '../../platform/warehouse-engine/sql-tokens.ts';

type Value = string | number | boolean;
/** A list from the code that views need, stored as a view of its own beside the tables. */
export type List = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
};

const coins = CHAINS.flatMap(({ name: chain, native: { symbol, decimals }, wrappedNative }) => [
  { chain, asset: NATIVE, symbol, decimals, stablecoin: false },
  { chain, asset: wrappedNative, symbol: `W${symbol}`, decimals, stablecoin: false },
]);

export const LISTS: readonly List[] = [
  {
    name: 'known_assets',
    columns: ['chain', 'asset', 'symbol', 'decimals', 'stablecoin'],
    rows: [...coins, ...KNOWN_ASSETS].map(({ chain, asset, symbol, decimals, stablecoin }) => [
      ...[chain, asset, symbol, decimals, stablecoin],
    ]),
  },
  {
    name: 'sanction_authorities',
    columns: ['authority', 'alias'],
    rows: AUTHORITIES.flatMap((names) => names.map((alias) => [names[0], alias])),
  },
];

const literal = (value: Value): string => (typeof value === 'string' ? quoteString(value) : String(value));

export const listStatement = ({ name, columns, rows }: List, database: string): string => {
  const tuples = rows.map((row) => `tuple(${row.map(literal).join(', ')})`);
  const named = columns.map((column, index) => `row.${index + 1} AS ${column}`);
  return `CREATE OR REPLACE VIEW ${quoteIdentifier(database)}.${name} AS
SELECT ${named.join(', ')} FROM (SELECT arrayJoin([${tuples.join(',\n')}]) AS row)`;
};
