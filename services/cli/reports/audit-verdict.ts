type Audited = { readonly events: number; readonly problems: readonly unknown[] };

/** How an audit ends. Where no event was nothing is called right: the folder may be another one than was meant. */
export const verdictOf = ({ events, problems }: Audited, right: string): string => {
  if (problems.length > 0) return `${problems.length} PROBLEMS`;
  return events === 0 ? 'there was nothing to compare' : right;
};
