/** The part of a history to read next. Blocks are included; null: from the chain's first, or up to its newest. */
export type Rest = {
  readonly asset: string | null;
  readonly first: number | null;
  readonly last: number | null;
  readonly order: 'oldest' | 'newest';
};
