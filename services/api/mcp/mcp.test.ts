import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { ANN, codeOf, NOBODY, openBilledApi } from '../../testing/open-billed-api.ts';
import { PATIENCE } from '../../testing/patience.ts';

/** The revision of 2026-07-28 without sessions, and the one before it. */
const ERAS = ['auto', 'legacy'] as const;

describe.each(ERAS)('an MCP client (%s)', (mode) => {
  const connect = async (url: string, headers: Record<string, string> = {}) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
    );
    return client;
  };

  test('sees each question as a tool with its price, and what goes in and comes out', async () => {
    await using service = await openBilledApi();
    const client = await connect(service.api.url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'analyze_address',
      'find_token_insiders',
      'find_victims',
      'follow_funds',
      'show_transaction',
      'trace_transfer',
    ]);
    for (const { description, inputSchema, outputSchema, annotations } of tools) {
      expect(description).toMatch(/Costs .* by x402/);
      // What only who calls by HTTP can do.
      expect(description).not.toMatch(/accept|csv/i);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toBeDefined();
      expect(annotations).toMatchObject({ readOnlyHint: true });
    }
    await client.close();
  });

  test('a call with a key is charged once, as the route charges it', async () => {
    await using service = await openBilledApi();
    const client = await connect(service.api.url, service.bearer);
    const result = await client.callTool({
      name: 'follow_funds',
      arguments: { address: ANN, chain: 'ethereum' },
    });
    expect(result).toMatchObject({ structuredContent: { answer: { hops: [{}], end: {} }, truncated: [] } });
    expect(result.isError).toBeFalsy();
    const account = (await (await service.get('/billing/account')).json()) as { analyses_left: number };
    expect(account.analyses_left).toBe(48);
    await client.close();
  });

  test.each([
    ['without a key', {}, { address: ANN, chain: 'ethereum' }, 'unauthorized'],
    ['with a field that is not known', null, { address: ANN, chain: 'ethereum', hop: 1 }, 'invalid_request'],
  ])('a call %s is an error that names its code, and costs nothing', async (_, headers, body, code) => {
    await using service = await openBilledApi();
    const client = await connect(service.api.url, headers ?? service.bearer);
    const result = await client.callTool({ name: 'follow_funds', arguments: body });
    expect(result).toMatchObject({ isError: true, structuredContent: { code } });
    const account = (await (await service.get('/billing/account')).json()) as { analyses_left: number };
    expect(account.analyses_left).toBe(50);
    await client.close();
  });

  test('a wallet without data is told so and is free', async () => {
    await using service = await openBilledApi();
    const client = await connect(service.api.url, service.bearer);
    const result = await client.callTool({
      name: 'follow_funds',
      arguments: { address: NOBODY, chain: 'ethereum' },
    });
    expect(result).toMatchObject({ structuredContent: { answer: { meta: { scope: 'no_data' } } } });
    const account = (await (await service.get('/billing/account')).json()) as { analyses_left: number };
    expect(account.analyses_left).toBe(50);
    await client.close();
  });
});

test('a page of another site cannot call the tools from a browser', async () => {
  await using service = await openBilledApi();
  const call = (origin: string) =>
    fetch(`${service.api.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', origin },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
  expect((await call('https://evil.example')).status).toBe(403);
  expect((await call('null')).status).toBe(403);
  expect((await call('http://localhost:3000')).status).toBe(200);
});

const HEAD =
  'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{';

test('a body that does not come in time, is too large or no message is the fault of its client', async () => {
  await using service = await openBilledApi({ line: { requestTimeoutMs: 300 } });
  const { port, hostname } = new URL(service.api.url);
  const slow = connect(Number(port), hostname);
  slow.write(HEAD);
  expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
  const post = (body: string) =>
    fetch(`${service.api.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  expect(await codeOf(await post(`"${'x'.repeat(70_000)}"`))).toEqual({
    status: 413,
    code: 'body_too_large',
  });
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  expect(await codeOf(await post(deep))).toEqual({ status: 400, code: 'invalid_json' });
  expect(await codeOf(await post('{'))).toEqual({ status: 400, code: 'invalid_json' });
  const noMessage = await post('[]');
  expect([noMessage.status, noMessage.statusText]).toEqual([400, 'Bad Request']);
  const codes = service.api.outcomes.map(({ status }) => status);
  expect(
    codes.every((status) => status < 500),
    codes.join(),
  ).toBe(true);
});

test.each([
  ['*/*', 200],
  ['application/*, text/*;q=0.1', 200],
  ['text/event-stream, application/json', 200],
  ['application/json', 406],
  ['text/html', 406],
])('with Accept: %s a message gets %i', async (accept, status) => {
  await using service = await openBilledApi();
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect((await service.api.post('/mcp', ping, { accept })).status).toBe(status);
});

test('a batch has four messages at most', async () => {
  await using service = await openBilledApi();
  const statusOf = async (messages: number) => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify(Array.from({ length: messages }, (_, id) => ({ ...ping, id })));
    return (await fetch(`${service.api.url}/mcp`, { method: 'POST', headers, body })).status;
  };
  expect([await statusOf(4), await statusOf(5)]).toEqual([200, 400]);
});

test('one address listens eight times at once and takes no place from others; 128 listen in all', async () => {
  await using service = await openBilledApi();
  const gone = new AbortController();
  const listen = async (from: string, signal?: AbortSignal) => {
    const protocolVersion = '2026-07-28';
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': protocolVersion,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { _meta, notifications: { toolsListChanged: true } };
    const method = 'subscriptions/listen';
    const response = await fetch(`${service.api.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': protocolVersion,
        'mcp-method': method,
        'x-forwarded-for': from,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      ...(signal && { signal }),
    });
    return response.status;
  };
  const first = listen('192.0.2.1', gone.signal);
  const own = await Promise.all([first, ...Array.from({ length: 7 }, () => listen('192.0.2.1'))]);
  expect(own).toEqual(Array(8).fill(200));
  expect(await listen('192.0.2.1')).toBe(429);
  const others = Array.from({ length: 120 }, (_, at) => listen(`192.0.3.${Math.floor(at / 8)}`));
  expect(await Promise.all(others)).toEqual(Array(120).fill(200));
  expect(await listen('192.0.2.2')).toBe(429);
  gone.abort();
  await expect.poll(() => listen('192.0.2.2'), PATIENCE).toBe(200);
});

test('requests of one address from elsewhere are bounded before their body is read', async () => {
  await using service = await openBilledApi();
  const send = async (from: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
    const sent = { method: 'POST', headers, body: '{' };
    return (await fetch(`${service.api.url}/mcp`, sent)).status;
  };
  const statuses = [];
  for (let sent = 0; sent < 125; sent++) statuses.push(await send('192.0.2.1'));
  expect(statuses).toEqual([...Array(120).fill(400), ...Array(5).fill(429)]);
  expect(await send('192.0.2.2')).toBe(400);
});
