import type { Caveat, Cut } from './why.ts';

/** Adds what is to be told of an end, in the order in which it was found. */
export const addCaveats = <End extends { readonly caveats: readonly Caveat[] }>(
  end: End,
  caveats: readonly Caveat[],
): End => (caveats.length === 0 ? end : { ...end, caveats: [...end.caveats, ...caveats] });

/** Where reading a wallet stopped early, whatever was chosen there may be wrong. */
export const readInPart = (cut: Cut): Caveat => ({ type: 'read_in_part', ...cut });
