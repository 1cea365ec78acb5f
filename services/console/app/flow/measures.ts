import type { Place } from './place-cards.ts';

/** Pixels of the picture, on the page and in exported files. */
export const CARD = { width: 230, height: 146, columnStep: 430, rowStep: 170 } as const;

export const pixelsOf = ({ column, row }: Place): { readonly x: number; readonly y: number } => ({
  x: column * CARD.columnStep,
  y: row * CARD.rowStep,
});
