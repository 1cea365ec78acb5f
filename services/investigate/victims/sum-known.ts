/** null when none of them is known. */
export const sumKnown = (usds: readonly (number | null)[]): number | null =>
  usds.reduce((sum, usd) => (usd === null ? sum : (sum ?? 0) + usd), null);
