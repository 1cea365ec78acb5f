import type { Card } from './picture.ts';

export type Place = { readonly column: number; readonly row: number };

/**
 * Gives each new card a place: the column is its hop, the row the first free one from its payer's downwards. Places
 * that were given stay, so nothing moves when something is added, and what is hidden returns to where it was.
 */
export const placeCards = (
  cards: readonly Card[],
  given: ReadonlyMap<string, Place> = new Map(),
): ReadonlyMap<string, Place> => {
  const places = new Map(given);
  const taken = new Set([...given.values()].map(({ column, row }) => `${column} ${row}`));
  // Payers before those whom they pay.
  for (const { key, hop: column, payer } of [...cards].sort((a, b) => a.hop - b.hop)) {
    if (places.has(key)) continue;
    let row = (payer === null ? undefined : places.get(payer)?.row) ?? 0;
    while (taken.has(`${column} ${row}`)) row += 1;
    places.set(key, { column, row });
    taken.add(`${column} ${row}`);
  }
  return places;
};
