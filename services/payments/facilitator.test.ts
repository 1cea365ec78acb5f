import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { PATIENCE } from '../testing/patience.ts';
import { PaymentsUnavailableError } from './book/payment-book.ts';
import { createFacilitator } from './facilitator.ts';
import { LIMITS } from './limits.ts';

const TERMS = {
  kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
  extensions: [],
  signers: {},
};

/** A facilitator that answers as it is told to. */
const serve = async (answer: (response: ServerResponse) => void, limits: Partial<typeof LIMITS> = {}) => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    answer(response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const facilitator = createFacilitator({ url, limits: { ...LIMITS, ...limits }, onError: () => {} });
  return { facilitator, asked: () => asked };
};

test('while it has not answered what it takes it is not asked again, by however many who want to know', async () => {
  const waiting: ServerResponse[] = [];
  const { facilitator, asked } = await serve((response) => void waiting.push(response));
  const early = Array.from({ length: 5 }, () => facilitator.supported());
  await expect.poll(asked, PATIENCE).toBe(1);
  const late = Array.from({ length: 5 }, () => facilitator.supported());
  // Another question takes the same way, so that one more of the first would have come by then.
  const payment = { payload: {}, requirements: {} } as Parameters<typeof facilitator.verify>[0];
  const verifying = facilitator.verify(payment).catch(() => null);
  await expect.poll(asked, PATIENCE).toBe(2);
  for (const response of waiting)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(TERMS));
  await verifying;
  for (const answer of await Promise.all([...early, ...late])) expect(answer).toEqual(TERMS);
  expect(asked()).toBe(2);
});

test('one that wants to be asked later is away until then, and nobody waits for that', async () => {
  const busy = (response: ServerResponse) => void response.writeHead(429, { 'retry-after': '30' }).end('{}');
  const { facilitator } = await serve(busy, { askTimeoutMs: 200 });
  await expect(facilitator.supported()).rejects.toThrow(PaymentsUnavailableError);
});
