import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { type Ledger, LedgerUnavailableError } from '../../credits/ledger.ts';
import { createSpoor } from '../../sdk/create-spoor.ts';
import type { Step } from '../../sdk/read-steps.ts';
import { createMemoryIdempotency } from '../../testing/memory/memory-idempotency.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { ANN, NOW, openBilledApi, story } from '../../testing/open-billed-api.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { readWhenAsked } from '../../testing/read-when-asked.ts';

const BODY = { address: ANN, chain: 'ethereum' } as const;
const EVENTS = { accept: 'text/event-stream' };
const FREE_ANALYSES = 50;

/** A service that knows nothing of a wallet until somebody asks for it. */
const open = async ({
  isEverRead = true,
  submit,
}: {
  isEverRead?: boolean;
  submit?: (memory: Ledger) => Ledger['submit'];
} = {}) => {
  const before = { reader: createMemoryReader([]) };
  const { ports, overrides } = readWhenAsked(before, { reader: createMemoryReader(story) }, 2_000);
  const neverRead = { askForWallet: async () => ({ withinSeconds: 40 }) };
  const service = await openBilledApi({
    reader: ports.reader,
    idempotency: createMemoryIdempotency(NOW),
    overrides: { ...overrides, ...(isEverRead ? {} : neverRead) },
    ...(submit && { submit }),
  });
  const left = () => service.memory.balance('account:a').analysesLeft;
  return { ...service, left };
};

const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter((part) => part.startsWith('event: '))
    .map((part) => {
      const [name = '', data = ''] = part.split('\n');
      return { name: name.slice('event: '.length), data: data.slice('data: '.length) };
    });

test('the steps come first and then the answer, in the same bytes as without them, charged once', async () => {
  await using service = await open();
  const streamed = await service.api.post('/follow', BODY, { ...service.bearer, ...EVENTS });
  expect(streamed.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events = eventsOf(await streamed.text());
  expect(events.map(({ name }) => name)).toEqual(['step', 'step', 'answer']);
  const steps = events.slice(0, 2).map(({ data }) => JSON.parse(data) as Step);
  expect(steps).toMatchObject([
    { kind: 'reading', chain: 'ethereum', seconds_left: 1 },
    { kind: 'read', seconds_left: null },
  ]);
  expect(service.left()).toBe(FREE_ANALYSES - 2);
  const plain = await service.api.post('/follow', BODY, service.bearer);
  expect(events[2]?.data).toBe(await plain.text());
});

test('the SDK tells steps, and gives them one after the other', async () => {
  await using service = await open();
  const spoor = createSpoor({ url: service.api.url, key: service.key });
  const heard: Step[] = [];
  const asking = spoor.steps((onStep) => spoor.followGraph({ ...BODY, asset: 'native' }, { onStep }));
  let last = await asking.next();
  for (; !last.done; last = await asking.next()) heard.push(last.value);
  expect(heard.map(({ kind }) => kind)).toEqual(['reading', 'read']);
  expect(last.value.edges).toHaveLength(1);
});

test('what is refused before the first step keeps its status', async () => {
  await using service = await open();
  const post = (body: object, headers: Readonly<Record<string, string>>) =>
    service.api.post('/follow', body, { ...headers, ...EVENTS });
  expect((await post(BODY, {})).status).toBe(401);
  const wrong = await post({ ...BODY, max_hops: 0 }, service.bearer);
  expect([wrong.status, wrong.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
});

test('an error after the first step is an event with the status inside', async () => {
  await using service = await open({
    submit: (memory) => async (payer, command) => {
      if (command.type === 'PostCall') throw new LedgerUnavailableError();
      return memory.submit(payer, command);
    },
  });
  const response = await service.api.post('/follow', BODY, { ...service.bearer, ...EVENTS });
  expect(response.status).toBe(200);
  const last = eventsOf(await response.text()).at(-1);
  expect([last?.name, JSON.parse(last?.data ?? '')]).toMatchObject([
    'error',
    { status: 503, code: 'unavailable', request_id: expect.any(String) },
  ]);
});

test('who leaves ends the waiting and pays nothing', async () => {
  await using service = await open({ isEverRead: false });
  const leaving = new AbortController();
  const response = await fetch(`${service.api.url}/follow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...service.bearer, ...EVENTS },
    body: JSON.stringify(BODY),
    signal: leaving.signal,
  });
  const reader = response.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toMatch(/^event: step/);
  leaving.abort();
  await expect.poll(() => service.api.outcomes.length, PATIENCE).toBe(1);
  await expect.poll(service.left, PATIENCE).toBe(FREE_ANALYSES);
});

test('an MCP client that gives a progress token hears the steps', async () => {
  await using service = await open();
  const client = new Client({ name: 'test', version: '1' });
  const headers = service.bearer;
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', service.api.url), { requestInit: { headers } }),
  );
  const heard: unknown[] = [];
  const call = { name: 'follow_funds', arguments: BODY };
  const { isError } = await client.callTool(call, { onprogress: (step) => heard.push(step) });
  expect(isError).toBeFalsy();
  expect(heard).toMatchObject([
    { progress: 1, message: expect.stringMatching(/^reading 0x/) },
    { progress: 2, message: expect.stringMatching(/^read 0x/) },
  ]);
  await client.close();
});
