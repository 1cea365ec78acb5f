/** Simulated time: events run in order of time, and equal times in order of scheduling. */
export type Simulation = {
  /** Unix seconds; fractions keep the order within a block. */
  readonly now: () => number;
  readonly at: (timeUnixSeconds: number, run: () => void) => void;
  readonly after: (seconds: number, run: () => void) => void;
  /** Runs everything due up to that time, including what becomes due meanwhile. */
  readonly runUntil: (timeUnixSeconds: number) => void;
};

type Intent = { readonly time: number; readonly order: number; readonly run: () => void };

const isBefore = (a: Intent, b: Intent): boolean =>
  a.time < b.time || (a.time === b.time && a.order < b.order);

/** A binary heap: a parent is never later than its children. */
const siftUp = (heap: Intent[], from: number): void => {
  let at = from;
  while (at > 0) {
    const parentAt = (at - 1) >> 1;
    const parent = heap[parentAt];
    const intent = heap[at];
    if (parent === undefined || intent === undefined || !isBefore(intent, parent)) return;
    heap[at] = parent;
    heap[parentAt] = intent;
    at = parentAt;
  }
};

const siftDown = (heap: Intent[]): void => {
  let at = 0;
  for (;;) {
    let firstAt = at;
    for (const childAt of [2 * at + 1, 2 * at + 2]) {
      const child = heap[childAt];
      const first = heap[firstAt];
      if (child !== undefined && first !== undefined && isBefore(child, first)) firstAt = childAt;
    }
    const intent = heap[at];
    const first = heap[firstAt];
    if (firstAt === at || intent === undefined || first === undefined) return;
    heap[at] = first;
    heap[firstAt] = intent;
    at = firstAt;
  }
};

const popFirst = (heap: Intent[]): Intent | undefined => {
  const first = heap[0];
  const last = heap.pop();
  if (last !== undefined && heap.length > 0) {
    heap[0] = last;
    siftDown(heap);
  }
  return first;
};

/** `endUnixSeconds`: later events never run and are not kept. */
export const createSimulation = (startUnixSeconds: number, endUnixSeconds: number): Simulation => {
  const heap: Intent[] = [];
  let now = startUnixSeconds;
  let order = 0;
  const at = (time: number, run: () => void): void => {
    if (time > endUnixSeconds) return;
    heap.push({ time: Math.max(time, now), order: order++, run });
    siftUp(heap, heap.length - 1);
  };
  return {
    now: () => now,
    at,
    after: (seconds, run) => at(now + seconds, run),
    runUntil: (timeUnixSeconds) => {
      while ((heap[0]?.time ?? Number.POSITIVE_INFINITY) <= timeUnixSeconds) {
        const intent = popFirst(heap);
        if (intent === undefined) break;
        now = intent.time;
        intent.run();
      }
      now = timeUnixSeconds;
    },
  };
};
