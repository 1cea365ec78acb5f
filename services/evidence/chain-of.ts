/** The chain that an answer, or a part of it, names; some answers name it only in `meta`. */
export const chainOf = (value: object): string | null => {
  if ('chain' in value && typeof value.chain === 'string') return value.chain;
  const isDeeper = 'meta' in value && typeof value.meta === 'object' && value.meta !== null;
  return isDeeper ? chainOf(value.meta as object) : null;
};
