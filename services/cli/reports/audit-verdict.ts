type Audited = { readonly events: number; readonly problems: readonly unknown[] };

/** The result of an audit. Without events nothing is confirmed: the folder may be the wrong one. */
export const verdictOf = ({ events, problems }: Audited, right: string): string => {
  if (problems.length > 0) return `${problems.length} PROBLEMS`;
  return events === 0 ? 'there was nothing to compare' : right;
};
