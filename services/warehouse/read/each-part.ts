/**
 * One query of a part for each key, whose rows begin with the key's place in the list. Each part is as it would be alone, so that it reads a
 * short range of the key, in its order and up to its own limit. `part` is given where the key's parameters are in their arrays.
 */
export const eachPart = (keys: readonly unknown[], part: (place: number) => string): string =>
  keys.map((_, at) => `SELECT ${at}, * FROM (${part(at + 1)})`).join(' UNION ALL ');

/** The rows of each part. */
export const rowsOfEach = <Row extends readonly unknown[]>(
  keys: readonly unknown[],
  rows: readonly (readonly [at: number, ...row: Row])[],
): readonly (readonly Row[])[] => {
  const each: Row[][] = keys.map(() => []);
  for (const [at, ...row] of rows) each[at]?.push(row as unknown as Row);
  return each;
};
