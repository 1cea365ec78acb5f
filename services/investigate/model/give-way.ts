/** Longer work lets everything else that waits in the process go first. */
const TURN_MS = 8;

/** When this turn of the event loop was first looked at. All work of the process shares it. */
let beganMs: number | null = null;
const waiting: (() => void)[] = [];

const isDue = (): boolean => {
  const nowMs = performance.now();
  if (beganMs === null) {
    beganMs = nowMs;
    setImmediate(() => {
      beganMs = null;
    });
  }
  return nowMs - beganMs > TURN_MS;
};

/** One each turn, so that fifty that wait together do not make one long turn. */
const release = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(release);
};

/**
 * Waits for the next turn of the event loop if this one has lasted some milliseconds. Call it between the pieces of any work whose size
 * is decided by chain data.
 */
export const giveWay = async (): Promise<void> => {
  if (isDue()) await lineUp();
};

/** Waits for a turn of the event loop that comes after those of all who wait for one now. */
export const lineUp = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(release);
  });

/** Works on each item, and gives way in between. */
export const eachInTurns = async <T>(items: Iterable<T>, work: (item: T) => void): Promise<void> => {
  for (const item of items) {
    work(item);
    if (isDue()) await giveWay();
  }
};

/** The items by key, as `Map.groupBy` tells them. */
export const groupInTurns = async <T, Key>(
  items: Iterable<T>,
  keyOf: (item: T) => Key,
): Promise<ReadonlyMap<Key, readonly T[]>> => {
  const groups = new Map<Key, T[]>();
  await eachInTurns(items, (item) => {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  });
  return groups;
};

/** What is made of each item, in their order. */
export const mapInTurns = async <T, U>(items: Iterable<T>, toOther: (item: T) => U): Promise<U[]> => {
  const all: U[] = [];
  await eachInTurns(items, (item) => {
    all.push(toOther(item));
  });
  return all;
};
