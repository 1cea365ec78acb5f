type Leg = { readonly amountRaw: bigint };

/** `isBatch`: the second leg was handed on for others as well, so that the first tells the amount. */
type Link<First, Second> = { readonly first: First; readonly second: Second; readonly isBatch: boolean };

/**
 * Of what reached a router in one transaction (`firsts`) and what it handed on (`seconds`) which was which: several may use one router
 * at once. Each second leg is of the smallest first that is enough and has so much left; what is more than any single one was handed
 * on for all that are not used up.
 */
export const linkLegs = <First extends Leg, Second extends Leg>(
  firsts: readonly First[],
  seconds: readonly Second[],
): Link<First, Second>[] => {
  const sources = firsts.map((first) => ({ first, leftRaw: first.amountRaw }));
  const links: Link<First, Second>[] = [];
  const batches: Second[] = [];
  for (const second of seconds.toSorted((a, b) => compare(b.amountRaw, a.amountRaw))) {
    const [source] = sources
      .filter(({ leftRaw }) => leftRaw >= second.amountRaw)
      .sort((a, b) => compare(a.leftRaw, b.leftRaw));
    if (source === undefined) {
      batches.push(second);
      continue;
    }
    source.leftRaw -= second.amountRaw;
    links.push({ first: source.first, second, isBatch: false });
  }
  const [batch, another] = batches;
  const unused = sources
    .filter(({ first, leftRaw }) => leftRaw === first.amountRaw)
    .map(({ first }) => first);
  if (batch === undefined || another !== undefined || sumOf(unused) < batch.amountRaw) return links;
  return [...links, ...unused.map((first) => ({ first, second: batch, isBatch: true }))];
};

/** In raw units. */
export const sumOf = (legs: readonly Leg[]): bigint =>
  legs.reduce((total, { amountRaw }) => total + amountRaw, 0n);

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));
