import type { Place } from './place-cards.ts';

/** Pixels of the picture, on the page and in exported files. */
export const CARD = { width: 230, height: 132, columnStep: 360, rowStep: 156 } as const;

export const pixelsOf = ({ column, row }: Place): { readonly x: number; readonly y: number } => ({
  x: column * CARD.columnStep,
  y: row * CARD.rowStep,
});

/** The words beside a link. */
export const LINK_WORDS = { payment: '', swap: 'sold for ', crossing: 'bridged to ' } as const;
