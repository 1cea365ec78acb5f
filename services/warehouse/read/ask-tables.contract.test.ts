import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWarehouseClient } from '../../platform/warehouse-engine/create-clients.ts';
import { askTables } from './ask-tables.ts';

type Answer = { readonly status: number; readonly body: string; readonly code?: number };
let answer: Answer;
// No server of ours loses its Keeper or its disk: this one says what such a server says.
const server = createServer(async (request, response) => {
  await request.toArray();
  const headers = answer.code === undefined ? {} : { 'X-ClickHouse-Exception-Code': String(answer.code) };
  response.writeHead(answer.status, headers).end(answer.body);
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)));
afterAll(() => server.close());

const outcomeOf = async (given: Answer, onBytes?: (bytes: number) => void): Promise<unknown> => {
  answer = given;
  const client = createWarehouseClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    database: 'spoor',
    credentials: { username: 'reader', password: '' },
  });
  const limits = { signal: new AbortController().signal, timeoutMs: 1_000, ...(onBytes && { onBytes }) };
  const asked = askTables(client, { query: 'SELECT 1', params: {} }, limits);
  return asked
    .then(
      (rows) => rows,
      (error: unknown) => error,
    )
    .finally(() => client.close());
};
const exception = (code: number, name: string): Answer => ({
  status: 500,
  body: `Code: ${code}. DB::Exception: It is not well. (${name}) (version 25.8)\n`,
  code,
});

test('the trouble of a server is told from a question that it does not understand', async () => {
  const troubles = [
    [173, 'CANNOT_ALLOCATE_MEMORY'],
    [201, 'QUOTA_EXCEEDED'],
    [202, 'TOO_MANY_SIMULTANEOUS_QUERIES'],
    [203, 'NO_FREE_CONNECTION'],
    [236, 'ABORTED'],
    [242, 'TABLE_IS_READ_ONLY'],
    [243, 'NOT_ENOUGH_SPACE'],
    [279, 'ALL_CONNECTION_TRIES_FAILED'],
    [516, 'AUTHENTICATION_FAILED'],
    [999, 'KEEPER_EXCEPTION'],
    [1000, 'POCO_EXCEPTION'],
  ] as const;
  for (const [code, name] of troubles)
    expect(await outcomeOf(exception(code, name)), name).toMatchObject({ code: 'unavailable' });
  expect(await outcomeOf(exception(159, 'TIMEOUT_EXCEEDED'))).toMatchObject({ code: 'timeout' });
  expect(await outcomeOf(exception(62, 'SYNTAX_ERROR'))).toMatchObject({ code: '62', type: 'SYNTAX_ERROR' });
});

test('an answer that is not the engine’s own, or ends too early, is one of a server out of reach', async () => {
  for (const [status, body] of [
    [502, '<html><h1>502 Bad Gateway</h1></html>'],
    [503, 'upstream connect error'],
    [504, ''],
    [200, '{"meta":[],"data":[[1'],
    [200, '{"meta":[],"data":[[1],\r\n__exception__\r\nCode: 241. DB::Exception: Memory.'],
  ] as const)
    expect(await outcomeOf({ status, body }), `${status} ${body}`).toMatchObject({ code: 'unavailable' });
  expect(await outcomeOf({ status: 200, body: '{"meta":[],"data":[[1]]}' })).toEqual([[1]]);
});

test('whoever asks is told how many bytes the answer had, where there was one', async () => {
  const told: number[] = [];
  const hear = (bytes: number): void => void told.push(bytes);
  await outcomeOf({ status: 200, body: '{"meta":[],"data":[["ä"]]}' }, hear);
  await outcomeOf({ status: 503, body: 'upstream connect error' }, hear);
  expect(told).toEqual([27]);
});
