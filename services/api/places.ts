/** How many places there are, and how many of them one name may have. */
type Limits = { readonly all: number; readonly each: number };

export type Places = {
  /** Takes a place, and gives the function that leaves it; null if there is none. */
  take(name: string): (() => void) | null;
};

/** Places that are held for a while, counted in all and for each name. */
export const createPlaces = ({ all, each }: Limits): Places => {
  const taken = new Map<string, number>();
  let total = 0;
  const change = (name: string, by: 1 | -1): void => {
    const count = (taken.get(name) ?? 0) + by;
    total += by;
    if (count === 0) taken.delete(name);
    else taken.set(name, count);
  };
  return {
    take: (name) => {
      if (total >= all || (taken.get(name) ?? 0) >= each) return null;
      change(name, 1);
      return () => change(name, -1);
    },
  };
};
