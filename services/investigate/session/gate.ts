/** Work that waits for its turn. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Nothing waits. */
export const OPEN: Gate = (work) => work();

/** So much work at once; the rest waits in the order it came. */
export const createGate = (most: number): Gate => {
  let underway = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (underway >= most) await new Promise<void>((enter) => waiting.push(enter));
    else underway += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) underway -= 1;
      else next();
    }
  };
};
