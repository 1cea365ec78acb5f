import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { HEALTHY, startApi } from '../../testing/start-api.ts';
import { createStatusApi } from '../create-operations-api.ts';
import { serve } from '../serve.ts';
import { describeApi, readExamples } from './describe-api.ts';

type Route = { readonly responses: Readonly<Record<string, object>> };
const { paths } = JSON.parse(JSON.stringify(describeApi(readExamples()))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
};
const routes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    path,
    method,
    statuses: Object.keys(responses),
  })),
);

/** `fetch` would not send another host. */
const ask = (url: string, method: string, headers: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { 'content-length': '0', ...headers } }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(String(answer.statusCode)));
    });
    sent.on('error', reject);
    sent.end();
  });

/** What each route answers that does not stand in the document. */
const untold = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
  const wrong: string[] = [];
  const got = new Set<string>();
  for (const { path, method, statuses } of routes) {
    const status = await ask(url + path.replace(/\{\w+\}/g, '7'), method.toUpperCase(), headers);
    got.add(status);
    if (!statuses.includes(status)) wrong.push(`${method} ${path}: ${status}`);
  }
  return { wrong, got: [...got].sort() };
};

test('what a route answers for a wrong host, an expectation and no body stands in the document', async () => {
  await using api = await startApi();
  expect(await untold(api.url)).toMatchObject({
    wrong: [],
    got: expect.arrayContaining(['200', '404', '415']),
  });
  expect(await untold(api.url, { host: 'other.example' })).toEqual({ wrong: [], got: ['421'] });
  expect(await untold(api.url, { expect: 'magic' })).toEqual({ wrong: [], got: ['417'] });
});

test('what a route answers while the service starts stands in the document', async () => {
  const logger = { info: () => {}, error: () => {} };
  const metrics = { observeRequest: () => {}, expose: async () => ({ contentType: '', text: '' }) };
  const rest = { clock: { nowUnixMs: () => 0 }, version: '0', isClosing: () => false };
  const starting = createStatusApi({ logger, metrics, ...rest, probes: { ...HEALTHY, waits: () => [] } });
  const { url, close } = await serve(starting, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => close({ graceMs: 0 }));
  expect(await untold(url)).toEqual({ wrong: [], got: ['503'] });
});
