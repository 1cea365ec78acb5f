import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { PaymentRequired } from '@x402/core/types';
import { describe, expect, test } from 'vitest';
import { PATIENCE } from '../../testing/patience.ts';
import { evmClient, signPayment } from '../../testing/x402/pay-api.ts';
import { PRICE, setUpEvmPayments } from '../../testing/x402/set-up-paid-api.ts';

const current = setUpEvmPayments();

/** The official client over both transports; over stdio `spoor mcp` runs as a process of its own. */
const TRANSPORTS = {
  http: (url: string) => new StreamableHTTPClientTransport(new URL('/mcp', url)),
  stdio: (url: string) =>
    new StdioClientTransport({
      command: process.execPath,
      args: ['services/cli/main.ts', 'mcp', '--url', url],
      stderr: 'inherit',
    }),
} as const;

test('an answer that was paid for, and whose connection broke, is given for the same payment', async () => {
  const { world, api, body, sign, balances } = current();
  const payer = await world.chain.createPayer(PRICE);
  const { payload } = await sign(api, payer);
  const settled = world.facilitator.asked['/settle'];
  world.facilitator.trouble('/settle', 'silent');
  const client = new AbortController();
  const call = (signal?: AbortSignal) =>
    fetch(`${api.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'follow_funds', arguments: body, _meta: { 'x402/payment': payload } },
      }),
      ...(signal && { signal }),
    });
  const lost = call(client.signal).catch(() => 'lost');
  await expect.poll(() => world.facilitator.asked['/settle'], PATIENCE).toBe(settled + 1);
  client.abort();
  expect(await lost).toBe('lost');
  world.facilitator.trouble('/settle', 'none');
  await expect.poll(async () => (await call()).text(), PATIENCE).toContain('x402/payment-response');
  expect(api.worked()).toBe(1);
  expect((await balances(payer)).payer).toBe(0n);
  expect(await (await call()).text()).toContain('payment_already_used');
});

describe.each(['http', 'stdio'] as const)('a payment in _meta over %s', (transport) => {
  const open = async () => {
    const { api, body } = current();
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(TRANSPORTS[transport](api.url));
    const call = (payment?: unknown) =>
      client.callTool({
        name: 'follow_funds',
        arguments: body,
        ...(payment !== undefined && { _meta: { 'x402/payment': payment } }),
      });
    return { client, call };
  };

  test('is asked for in the terms of the route, settled once, and told with its transaction', async () => {
    const { world, api, balances } = current();
    const { client, call } = await open();
    const payer = await world.chain.createPayer(PRICE);

    const unpaid = await call();
    const terms = unpaid.structuredContent as PaymentRequired;
    expect(unpaid).toMatchObject({ isError: true, structuredContent: { x402Version: 2, accepts: [{}] } });
    expect(JSON.parse((unpaid.content[0] as { text: string }).text)).toEqual(terms);
    expect(api.worked()).toBe(0);

    const { payload } = await signPayment(evmClient(payer), terms);
    const paid = await call(payload);
    expect(paid).toMatchObject({
      structuredContent: { answer: { chain: 'ethereum' } },
      _meta: { 'x402/payment-response': { success: true } },
    });
    expect((await balances(payer)).payer).toBe(0n);

    const replayed = await call(payload);
    expect(replayed).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } });
    expect((replayed.structuredContent as PaymentRequired).error).toMatch(/^payment_already_used/);
    expect(api.worked()).toBe(1);
    await client.close();
  });

  test('that is not one is refused before any work', async () => {
    const { api } = current();
    const { client, call } = await open();
    const refused = await call({ forged: true });
    expect(refused.isError).toBe(true);
    expect(api.worked()).toBe(0);
    await client.close();
  });
});
