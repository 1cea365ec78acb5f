import { expect, test } from 'vitest';
import type { RetraceJob, RetraceResults } from '../../sdk/create-spoor.ts';
import type { Anchor } from './anchor.ts';
import { createTracerByJob } from './trace-by-job.ts';

const { signal } = new AbortController();
const anchors = ['a', 'b', 'c'].map(
  (signature, at) => ({ at: `line ${at}`, place: 1_000 + at, body: { signature } }) as Anchor,
);
const refused = (code: string) => ({ code, field: '', message: '' });

/** A server whose job is in these states, one after the other, with two results a page. */
const serverOf = (states: readonly Partial<RetraceJob>[]) => {
  const asked: unknown[] = [];
  let looks = 0;
  const jobs: Parameters<typeof createTracerByJob>[0] = {
    startRetrace: async (body, options) => {
      asked.push([body.anchors.length, options?.idempotencyKey]);
      return { job_id: 'job' } as RetraceJob;
    },
    retrace: async () => {
      const state = states[Math.min(looks++, states.length - 1)];
      return { job_id: 'job', state: 'running', reason: null, done: looks, ...state } as RetraceJob;
    },
    retraceResults: async (_id, { cursor = '0' } = {}) => {
      const places = [2, 0, 1].slice(Number(cursor), Number(cursor) + 2);
      const results = places.map((place) => ({ run: 1, place, answer: null, refused: refused(`${place}`) }));
      return { results, next_cursor: '2', has_more: cursor === '0' } as unknown as RetraceResults;
    },
  };
  return { jobs, asked };
};

test('a wave is one job, named by run and place, and its results stand in the order of the anchors', async () => {
  const done: number[] = [];
  const short = { state: 'paused', reason: 'insufficient_credits' } as const;
  const { jobs, asked } = serverOf([{}, short, short, {}, { state: 'done' }]);
  const tracer = createTracerByJob(jobs, 'run', { lookAgainMs: 0, onDone: (count) => done.push(count) });
  const results = await tracer.trace(anchors, signal);
  expect(asked).toEqual([[3, 'retrace run 1000']]);
  expect(results).toEqual(['0', '1', '2'].map((code) => ({ refused: refused(code) })));
  expect(done).toEqual([1, 2, 3, 4]);
});

test.each([
  [
    { state: 'paused', reason: 'insufficient_credits' },
    /paused \(insufficient_credits\).*same command goes on/,
  ],
  [{ state: 'cancelled' }, /cancelled: delete the \.unfinished file/],
] as const)('a job that is %j ends the run with what to do', async (state, message) => {
  const tracer = createTracerByJob(serverOf([state]).jobs, 'run', { lookAgainMs: 0 });
  await expect(tracer.trace(anchors, signal)).rejects.toThrow(message);
});
