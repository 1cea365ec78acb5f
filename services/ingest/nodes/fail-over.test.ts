import { expect, test, vi } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { buildBlock } from '../../testing/build-block.ts';
import type { BlockSource, FetchResult, Untraced } from './block-source.ts';
import { createFailOver } from './fail-over.ts';
import { SourceError } from './source-error.ts';

const NEVER = new AbortController().signal;
const retry = { attempts: 3, firstWaitMs: 1, longestWaitMs: 5 };
const failure = (transient: boolean, retryAfterMs: number | null = null) =>
  new SourceError(transient ? 'unreachable' : 'block_unavailable', 'no', { transient, retryAfterMs });

/** An endpoint whose answers a test sets; counts what it is asked. */
const endpoint = (head: number) => {
  const state = {
    head,
    error: null as Error | null,
    has: true,
    asked: 0,
    traces: null as boolean | null,
    untraced: null as Untraced | null,
    contradicts: null as Untraced | null,
    problems: [] as DecodedBlock['problems'],
  };
  const answer = async <T>(value: T): Promise<T> => {
    state.asked += 1;
    if (state.error) throw state.error;
    return value;
  };
  const source: BlockSource = {
    chain: 'solana',
    head: () => answer(state.head),
    offersTraces: () => state.traces,
    fetch: (number): Promise<FetchResult> =>
      answer(
        state.has
          ? {
              status: 'block',
              untraced: state.untraced,
              contradicts: state.contradicts,
              decoded: {
                ...buildBlock({ chain: 'solana', number, timeUnixSeconds: null, transactions: [] }),
                problems: state.problems,
              },
            }
          : { status: 'not_yet' },
      ),
  };
  return { state, source };
};

const open = (...heads: number[]) => {
  const endpoints = heads.map(endpoint);
  const rested: number[] = [];
  const source = createFailOver(
    endpoints.map((each) => each.source),
    { rested: ({ endpoint: place }) => rested.push(place) },
    retry,
  );
  return { source, rested, states: endpoints.map(({ state }) => state) };
};

test('the first endpoint is asked as long as it answers', async () => {
  const { source, states } = open(100, 200);
  expect(await source.head(NEVER)).toBe(100);
  expect((await source.fetch(7, NEVER)).status).toBe('block');
  expect(states.map(({ asked }) => asked)).toEqual([2, 0]);
});

test('one that fails is left alone for as long as it asks, and asked again after that', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { source, states, rested } = open(100, 200);
    const [first, second] = states as [(typeof states)[0], (typeof states)[0]];
    first.error = failure(true, 500);
    expect(await source.head(NEVER)).toBe(200);
    first.error = null;
    vi.advanceTimersByTime(499);
    expect(await source.head(NEVER)).toBe(200);
    expect({ asked: first.asked, rested }).toEqual({ asked: 1, rested: [0] });
    second.error = failure(true, 60_000);
    // Nobody else is awake: the one that is up next is waited for.
    expect(await source.head(NEVER)).toBe(100);
  } finally {
    vi.useRealTimers();
  }
});

test('many requests that fail together are one failure', async () => {
  const { source, states, rested } = open(100, 200);
  const [first] = states as [(typeof states)[0]];
  first.error = failure(true);
  const heads = await Promise.all(Array.from({ length: 20 }, () => source.head(NEVER)));
  expect(heads).toEqual(Array.from({ length: 20 }, () => 200));
  expect(rested).toEqual([0]);
});

test('a block that one endpoint lacks comes from another, and none is left alone for it', async () => {
  const { source, states, rested } = open(100, 200);
  const [first] = states as [(typeof states)[0]];
  first.has = false;
  expect((await source.fetch(7, NEVER)).status).toBe('block');
  first.error = failure(false);
  expect((await source.fetch(7, NEVER)).status).toBe('block');
  expect(rested).toEqual([]);
});

test('what no endpoint has yet is not there yet; what none can answer is the last error', async () => {
  const { source, states } = open(100, 200);
  for (const state of states) state.has = false;
  expect(await source.fetch(7, NEVER)).toEqual({ status: 'not_yet' });
  for (const state of states) state.error = failure(false);
  await expect(source.fetch(7, NEVER)).rejects.toMatchObject({ code: 'block_unavailable' });
  for (const state of states) state.error = new TypeError('our own mistake');
  await expect(source.fetch(7, NEVER)).rejects.toThrow('our own mistake');
});

test.each([
  ['first', 0],
  ['last', 1],
])(
  'what one endpoint lacks for good the other may have, which failed only for now and is asked %s',
  async (_, failing) => {
    const { source, states } = open(100, 200);
    const [away, lacking] = [states[failing], states[1 - failing]];
    Object.assign(away ?? {}, { error: failure(true, 60_000) });
    Object.assign(lacking ?? {}, { has: false });
    expect(await source.fetch(7, NEVER)).toEqual({ status: 'not_yet', isUnsure: true });
    Object.assign(lacking ?? {}, { error: failure(false) });
    await expect(source.fetch(7, NEVER)).rejects.toMatchObject({
      code: 'block_unavailable',
      transient: true,
    });
  },
);

test('an endpoint of another chain has nothing that the others lack', async () => {
  const { source, states } = open(100, 200);
  const error = new SourceError('wrong_chain', 'no', { transient: false });
  Object.assign(states[0] ?? {}, { error });
  Object.assign(states[1] ?? {}, { has: false });
  expect(await source.fetch(7, NEVER)).toEqual({ status: 'not_yet' });
});

test('an endpoint is asked again after a failure of all of them, before that is told', async () => {
  const { source, states } = open(100, 200);
  for (const state of states) state.error = failure(true, 1);
  await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'unreachable' });
  expect(states.reduce((sum, { asked }) => sum + asked, 0)).toBeGreaterThanOrEqual(retry.attempts);
});

test('told to stop it stops, also while all endpoints rest', async () => {
  const { source, states } = open(100, 200);
  for (const state of states) state.error = failure(true, 60_000);
  const stopping = new AbortController();
  const asked = source.head(stopping.signal);
  setTimeout(() => stopping.abort(new Error('stopping')), 20);
  await expect(asked).rejects.toThrow('stopping');
});

test('an endpoint whose head hangs is overtaken by one that goes on', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { source, states } = open(100, 200);
    expect(await source.head(NEVER)).toBe(100);
    vi.advanceTimersByTime(5_000);
    expect(await source.head(NEVER)).toBe(100);
    vi.advanceTimersByTime(5_000);
    expect(await source.head(NEVER)).toBe(200);
    // From then on, and not for another ten seconds each time.
    Object.assign(states[1] ?? {}, { head: 201 });
    expect(await source.head(NEVER)).toBe(201);
  } finally {
    vi.useRealTimers();
  }
});

test('a head that one endpoint once told far too high does not keep those from being heard that go on', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { source, states } = open(1_000_000, 200);
    await source.head(NEVER);
    Object.assign(states[0] ?? {}, { head: 100 });
    vi.advanceTimersByTime(10_000);
    for (const head of [200, 201]) {
      Object.assign(states[1] ?? {}, { head });
      expect(await source.head(NEVER)).toBe(head);
    }
  } finally {
    vi.useRealTimers();
  }
});

const problemsOf = (result: FetchResult) =>
  result.status === 'block' ? result.decoded.problems.map(({ code }) => code) : result.status;

test('a block whose calls one endpoint cannot trace comes from one that can, also where that one is configured later', async () => {
  const { source, states } = open(100, 200);
  const [first, second] = states as [(typeof states)[0], (typeof states)[0]];
  Object.assign(first, { untraced: 'for_good' });
  Object.assign(second, { traces: true });
  expect(await source.fetch(7, NEVER)).toMatchObject({ status: 'block', untraced: null });
  // One that never traces is not asked for whole blocks before those that do.
  Object.assign(first, { traces: false });
  const before = first.asked;
  expect(await source.fetch(7, NEVER)).toMatchObject({ status: 'block', untraced: null });
  expect(first.asked).toBe(before);
});

test('that nobody could trace a block is a problem of it, unless no endpoint ever does', async () => {
  const { source, states } = open(100, 200);
  const [first, second] = states as [(typeof states)[0], (typeof states)[0]];
  Object.assign(first, { untraced: 'for_good', traces: false });
  Object.assign(second, { traces: true, has: false });
  expect(problemsOf(await source.fetch(7, NEVER))).toEqual(['traces_missing']);
  Object.assign(second, { traces: false, has: true, untraced: 'for_good' });
  expect(problemsOf(await source.fetch(7, NEVER))).toEqual([]);
});

test('a block that every endpoint fails to trace for now is asked of all of them again, and taken as it is where that lasts', async () => {
  const { source, states } = open(100, 200);
  const [first, second] = states as [(typeof states)[0], (typeof states)[0]];
  Object.assign(first, { untraced: 'for_now', traces: true });
  Object.assign(second, { untraced: 'for_good', traces: false });
  expect(problemsOf(await source.fetch(7, NEVER))).toEqual(['traces_missing']);
  expect(states.map(({ asked }) => asked)).toEqual([retry.attempts, retry.attempts]);
});

test('a block of which one endpoint traces all but a transaction is preferred to it without any calls, and asked for again while another may tell all', async () => {
  const { source, states } = open(100, 200);
  const [first, second] = states as [(typeof states)[0], (typeof states)[0]];
  const problems = [{ code: 'trace_missing', txIndex: 1, message: 'too large' }];
  Object.assign(first, { untraced: 'for_good', traces: true, problems });
  Object.assign(second, { untraced: 'for_now', traces: true });
  expect(problemsOf(await source.fetch(7, NEVER))).toEqual(['trace_missing', 'traces_missing']);
  expect(states.map(({ asked }) => asked)).toEqual([retry.attempts, retry.attempts]);
});

test('a block whose parts contradict each other comes from an endpoint that tells them as they belong together, and else as it is', async () => {
  const { source, states } = open(100, 200);
  const [first, second] = states as [(typeof states)[0], (typeof states)[0]];
  Object.assign(first, {
    ...{ contradicts: 'for_now', traces: true },
    problems: [{ code: 'receipts_contradict', txIndex: null, message: 'no' }],
  });
  // Rather without its calls than with other receipts.
  Object.assign(second, { untraced: 'for_good', traces: true });
  expect(problemsOf(await source.fetch(7, NEVER))).toEqual(['traces_missing']);
  Object.assign(second, { has: false });
  const before = first.asked;
  expect(problemsOf(await source.fetch(7, NEVER))).toEqual(['receipts_contradict']);
  expect(first.asked).toBe(before + 1);
});
