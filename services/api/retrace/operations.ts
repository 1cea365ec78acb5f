import type { Example, Examples, Operation, Served } from '../contract/operation.ts';
import { retraceJob, retraceResults } from './answer.ts';
import { createRetraceSchema } from './schema.ts';

const ID = '0197a3c2-8d1e-4f6b-9a70-2c5be1d4f081';
const ids = {
  id: { description: 'Identifier of the job.', schema: { type: 'string' } },
} as const;
const ERRORS = [401, 404, 503] as const;

const job = {
  ...{ job_id: ID, state: 'running', reason: null, run: 1, anchors: 1, done: 0, refused: 0, charged: 0 },
  ...{ every_seconds: null, asked_at: 1_756_900_000, kept_until: 1_759_405_600, ended_at: null },
  price: { traces: 1, credits: 2 },
  ...{ status_url: `/retrace/${ID}`, results_url: `/retrace/${ID}/results` },
  csv_url: `/retrace/${ID}/results.csv`,
};
const done = { ...job, state: 'done', done: 1, charged: 1, ended_at: 1_756_900_002 };

/** A job with the example of /trace. */
const ofTrace = ({ trace }: Examples): Example => {
  const answer = (trace?.answer ?? {}) as { window?: object };
  const found = { run: 1, time: 1_756_900_001, place: 0, anchor: trace?.request };
  const results = [
    {
      ...found,
      answer: { ...answer, window: { ...answer.window, searched: [] } },
      refused: null,
      change: null,
    },
  ];
  return { answer: { results, next_cursor: '1.0', has_more: false } };
};

/** Jobs of many traces. */
export const retraceOperations = ({ chains, clock }: Served): readonly Operation[] => [
  {
    ...{ method: 'post', path: '/retrace', id: 'startRetrace', tag: 'jobs', access: 'key' },
    summary: 'Trace many transfers',
    description:
      'Takes up to 10,000 transfers and traces them beside all other calls. Each anchor is charged like a call of POST ' +
      '/trace once its result is kept; without data it is free. An Idempotency-Key brings the same job again. Not payable by x402.',
    body: createRetraceSchema(chains, clock),
    answer: retraceJob,
    status: 202,
    examples: ({ trace }) => ({ job: { request: { anchors: [trace?.request] }, answer: job } }),
    errors: [400, 401, 408, 409, 413, 415, 417, 429, 503],
  },
  {
    ...{ method: 'get', path: '/retrace/{id}', id: 'getRetrace', tag: 'jobs', access: 'key' },
    summary: 'How far is the job?',
    description: 'State, progress and what was charged. A job of another account is 404.',
    parameters: ids,
    answer: retraceJob,
    status: 200,
    examples: () => ({ job: { answer: done } }),
    errors: ERRORS,
  },
  {
    ...{ method: 'delete', path: '/retrace/{id}', id: 'cancelRetrace', tag: 'jobs', access: 'key' },
    summary: 'Cancel the job',
    description: 'What is done stays, and stays charged; the rest is neither traced nor charged.',
    parameters: ids,
    answer: retraceJob,
    status: 200,
    examples: () => ({ job: { answer: { ...job, state: 'cancelled' } } }),
    errors: ERRORS,
  },
  {
    ...{ method: 'post', path: '/retrace/{id}/again', id: 'repeatRetrace', tag: 'jobs', access: 'key' },
    summary: 'Run the job again',
    description:
      'Traces and charges all anchors again, and adds to the results what changed since the run before: candidates that are ' +
      'new, lost or moved, and the label, price, model or blocks that caused it.',
    parameters: ids,
    answer: retraceJob,
    status: 202,
    examples: () => ({ job: { answer: { ...job, run: 2, charged: 1 } } }),
    errors: [...ERRORS, 409, 429],
  },
  {
    ...{ method: 'get', path: '/retrace/{id}/results', id: 'listRetraceResults', tag: 'jobs', access: 'key' },
    summary: 'What has the job found?',
    description: 'Results in the order of runs and anchors, page by page, also while the job goes on.',
    overHttp: 'With `Accept: text/csv` the answer is the file of all of them.',
    parameters: ids,
    query: {
      cursor: {
        description: '`next_cursor` of the page before; the first page without it.',
        schema: { type: 'string', pattern: '^[0-9]{1,9}\\.[0-9]{1,9}$' },
      },
      limit: {
        description: 'Results on a page; 100 without it.',
        schema: { type: 'integer', minimum: 1, maximum: 500 },
      },
    },
    answer: retraceResults,
    status: 200,
    examples: (known) => ({ results: ofTrace(known) }),
    errors: [400, ...ERRORS],
  },
  {
    ...{ method: 'get', path: '/retrace/{id}/results.csv', id: 'getRetraceFile', tag: 'jobs', access: 'key' },
    summary: 'The results as a file',
    description: 'All results so far, one row a candidate.',
    parameters: ids,
    answer: null,
    file: 'text/csv',
    status: 200,
    errors: ERRORS,
  },
];
