import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ReadFailedError, type ReadLimits } from '../model/transfer-reader.ts';
import { ALONE, type ListPolicy, type Load, SHARED } from './ask-list.ts';
import { createLoader } from './create-loader.ts';

const LONG_MS = 60_000;
const limitsOf = ({ signal = new AbortController().signal, timeoutMs = LONG_MS } = {}): ReadLimits => ({
  signal,
  timeoutMs,
});

/** A loader of numbers that are answered by their doubles, and the lists that it asked for. */
const doubling = (
  answer: Load<number, number> = async (keys) => keys.map((key) => key * 2),
  { policy = ALONE, ...more }: { policy?: ListPolicy; keysMax?: number; isKept?: boolean } = {},
) => {
  const lists: number[][] = [];
  const load: Load<number, number> = (keys, limits) => {
    lists.push([...keys]);
    return answer(keys, limits);
  };
  return { lists, ask: createLoader({ load, textOf: String, ...more }, policy) };
};

/** Answers when it is told to; until then it keeps to its signal. */
const waiting = () => {
  const asked: { limits: ReadLimits; answer: () => void }[] = [];
  const load: Load<number, number> = (keys, limits) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
    limits.signal.addEventListener('abort', () => reject(new ReadFailedError('aborted')));
    asked.push({ limits, answer: () => resolve(keys.map((key) => key * 2)) });
    return promise;
  };
  return { asked, load };
};

test('what is asked for within a turn is one list, each key once, and each caller is answered in its order', async () => {
  const { lists, ask } = doubling();
  const answers = await Promise.all([ask([3, 1], limitsOf()), ask([1, 2, 1], limitsOf())]);
  expect(answers).toEqual([
    [6, 2],
    [2, 4, 2],
  ]);
  expect(lists).toEqual([[3, 1, 2]]);
});

test('a list is no longer than one query handles well', async () => {
  const { lists, ask } = doubling(undefined, { keysMax: 4 });
  const keys = Array.from({ length: 9 }, (_, at) => at);
  expect(await ask(keys, limitsOf())).toEqual(keys.map((key) => key * 2));
  expect(lists.map(({ length }) => length)).toEqual([3, 3, 3]);
});

describe.each([
  ['alone', ALONE],
  ['shared', SHARED],
])('%s', (_, policy) => {
  test('a list that takes too long is halved, and every caller gets its own answer or its own error', async () => {
    const { lists, ask } = doubling(
      async (keys) => {
        if (keys.includes(7)) throw new ReadFailedError('timeout');
        return keys.map((key) => key * 2);
      },
      { policy },
    );
    const keys = Array.from({ length: 8 }, (__, at) => at);
    const told = await Promise.allSettled(keys.map((key) => ask([key], limitsOf())));
    expect(lists[0]).toEqual(keys);
    expect(told.slice(0, 7)).toEqual(
      keys.slice(0, 7).map((key) => ({ status: 'fulfilled', value: [key * 2] })),
    );
    expect(told[7]).toMatchObject({ status: 'rejected', reason: { code: 'timeout' } });
  });

  test('a list that fails otherwise is not asked for again, and all its callers are told', async () => {
    const down = new ReadFailedError('unavailable');
    const { lists, ask } = doubling(() => Promise.reject(down), { policy });
    const told = await Promise.allSettled([ask([1], limitsOf()), ask([2], limitsOf())]);
    expect(told.map((one) => one.status === 'rejected' && one.reason)).toEqual([down, down]);
    expect(lists).toHaveLength(1);
  });

  test('a failed read is never kept as an answer', async () => {
    let failures = 1;
    const { lists, ask } = doubling(
      async (keys) => {
        if (failures-- > 0) throw new ReadFailedError('unavailable');
        return keys.map((key) => key * 2);
      },
      { policy, isKept: true },
    );
    await expect(ask([1], limitsOf())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await ask([1], limitsOf())).toEqual([2]);
    expect(await ask([1], limitsOf())).toEqual([2]);
    expect(lists).toEqual([[1], [1]]);
  });

  test('one caller that gives up does not end the others', async () => {
    const { asked, load } = waiting();
    const { ask } = doubling(load, { policy });
    const [leaves, stays] = [new AbortController(), new AbortController()];
    const left = ask([1], limitsOf(leaves));
    const stayed = ask([2], limitsOf(stays));
    const leaving = expect(left).rejects.toMatchObject({ code: 'aborted' });
    await nextTurn();
    await nextTurn();
    leaves.abort();
    await leaving;
    expect(asked[0]?.limits.signal.aborted).toBe(false);
    asked[0]?.answer();
    expect(await stayed).toEqual([4]);
  });

  test('a list that nobody waits for any more is given up', async () => {
    const { asked, load } = waiting();
    const { ask } = doubling(load, { policy });
    const all = [new AbortController(), new AbortController()];
    const told = Promise.allSettled(all.map(({ signal }, key) => ask([key], limitsOf({ signal }))));
    await nextTurn();
    await nextTurn();
    for (const one of all) one.abort();
    expect(await told).toMatchObject([{ reason: { code: 'aborted' } }, { reason: { code: 'aborted' } }]);
    expect(asked[0]?.limits.signal.aborted).toBe(true);
  });

  test("the first caller's time does not rule the list", async () => {
    const { asked, load } = waiting();
    const { ask } = doubling(load, { policy });
    const short = expect(ask([1], limitsOf({ timeoutMs: 20 }))).rejects.toMatchObject({ code: 'timeout' });
    const long = ask([2], limitsOf());
    await short;
    while (asked.length === 0) await nextTurn();
    // It has half of the longest time at least, so it is still on its way.
    expect(asked).toHaveLength(1);
    expect(asked[0]?.limits.timeoutMs).toBeGreaterThanOrEqual(LONG_MS / 2);
    asked[0]?.answer();
    expect(await long).toEqual([4]);
  });
});

test('whoever joins a key that is being asked for with less time is answered, though that list takes too long', async () => {
  let slow = true;
  const { lists, ask } = doubling(async (keys) => {
    if (!slow) return keys.map((key) => key * 2);
    await nextTurn();
    throw new ReadFailedError('timeout');
  });
  const first = expect(ask([1], limitsOf({ timeoutMs: 1_000 }))).rejects.toMatchObject({ code: 'timeout' });
  while (lists.length === 0) await nextTurn();
  const joined = ask([1], limitsOf());
  slow = false;
  await first;
  expect(await joined).toEqual([2]);
  expect(lists).toEqual([[1], [1]]);
});

test('of many that share their reads, what is asked while a list is on its way is the next list', async () => {
  const { asked, load } = waiting();
  const { lists, ask } = doubling(load, { policy: SHARED });
  const first = ask([1], limitsOf());
  while (asked.length === 0) await nextTurn();
  const later = [ask([2], limitsOf())];
  await nextTurn();
  later.push(ask([3], limitsOf()));
  await nextTurn();
  expect(lists).toEqual([[1]]);
  asked[0]?.answer();
  await first;
  while (asked.length === 1) await nextTurn();
  asked[1]?.answer();
  expect(await Promise.all(later)).toEqual([[4], [6]]);
  expect(lists).toEqual([[1], [2, 3]]);
});

test('an answer is kept where that is asked for, and else known only while it is read', async () => {
  for (const isKept of [true, false]) {
    const { lists, ask } = doubling(undefined, { isKept });
    for (const _ of [1, 2]) expect(await ask([1], limitsOf())).toEqual([2]);
    expect(lists).toEqual(isKept ? [[1]] : [[1], [1]]);
  }
});

test('where only a few keys are slow, an eighth of a list stays without an answer', async () => {
  const { lists, ask } = doubling(async (keys) => {
    if (keys.includes(7)) throw new ReadFailedError('timeout');
    return keys.map((key) => key * 2);
  });
  const keys = Array.from({ length: 50 }, (_, at) => at);
  const told = await Promise.allSettled(keys.map((key) => ask([key], limitsOf())));
  expect(lists.map(({ length }) => length)).toEqual([50, 25, 25, 13, 12, 7, 6]);
  expect(told.filter(({ status }) => status === 'rejected')).toHaveLength(6);
});

test('a caller that has left asks for nothing again when the list that it joined fails', async () => {
  const lists: (readonly number[])[] = [];
  const load: Load<number, number> = (keys, { signal }) => {
    lists.push(keys);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new ReadFailedError('aborted')));
    });
  };
  const ask = createLoader({ load, textOf: String }, ALONE);
  const codeOf = (asked: Promise<unknown>) => asked.catch(({ code }: ReadFailedError) => code);
  const first = codeOf(ask([1], limitsOf({ timeoutMs: 100 })));
  while (lists.length === 0) await nextTurn();
  const leaving = new AbortController();
  const second = codeOf(ask([1], limitsOf({ signal: leaving.signal })));
  await nextTurn();
  leaving.abort();
  expect([await second, await first]).toEqual(['aborted', 'timeout']);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(lists).toEqual([[1]]);
});

test('a cut answer is told to whoever asked, and asked for again by the next', async () => {
  let room = 1;
  const lists: number[][] = [];
  const ask = createLoader<number, number | null>(
    {
      load: async (keys) => {
        lists.push([...keys]);
        return keys.map((key, at) => (at < room ? key : null));
      },
      ...{ textOf: String, isKept: true, isCut: (answer) => answer === null },
    },
    ALONE,
  );
  expect(await ask([1, 2], limitsOf())).toEqual([1, null]);
  room = 2;
  expect(await ask([1, 2], limitsOf())).toEqual([1, 2]);
  expect(lists).toEqual([[1, 2], [2]]);
});

test('a query that answers fewer keys than it was asked is a fault, and no answer of undefined', async () => {
  const { ask } = doubling(async (keys) => keys.slice(1), { isKept: true });
  await expect(ask([1, 2], limitsOf())).rejects.toThrow('a query answers 1 of 2 keys');
});

test('where lists wait for each other, the halves of one that takes too long are no more queries at once', async () => {
  let [underway, most] = [0, 0];
  const { ask } = doubling(
    async (keys) => {
      underway += 1;
      most = Math.max(most, underway);
      await nextTurn();
      underway -= 1;
      if (keys.length > 1) throw new ReadFailedError('timeout');
      return keys.map((key) => key * 2);
    },
    { policy: SHARED },
  );
  const keys = Array.from({ length: 64 }, (_, at) => at);
  expect(await ask(keys, limitsOf())).toEqual(keys.map((key) => key * 2));
  expect(most).toBe(1);
});
