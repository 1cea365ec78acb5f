import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { findChain } from '../investigate/model/chain.ts';
import { createHttpPriceSource } from './price-source.ts';

const KEY = 'secret-key';
const DAY = 1_714_521_600;

const sourceOf = async (answer: RequestListener) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const source = createHttpPriceSource({ url: new URL(`http://127.0.0.1:${port}/${KEY}/`) });
  const chain = findChain('ethereum');
  if (!chain) throw new Error('the chain is not known');
  const ask = () =>
    source.coinPrices({ chain, fromUnixSeconds: DAY, hours: 24 }, AbortSignal.timeout(10_000));
  return { ask, asked };
};

const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';

test('a day of the coin is asked for as its wrapped form, and what lies outside that day is left out', async () => {
  const prices = [
    { timestamp: DAY - 1, price: 1 },
    { timestamp: DAY, price: 3_000.5 },
    { timestamp: DAY + 3_600, price: 3_001 },
    { timestamp: DAY + 86_400, price: 2 },
  ];
  const body = { coins: { [`ethereum:${WETH}`]: { symbol: 'WETH', confidence: 0.99, prices } } };
  const { ask, asked } = await sourceOf((_, response) => response.end(JSON.stringify(body)));
  expect(await ask()).toEqual([
    { timeUnixSeconds: DAY, usd: 3_000.5 },
    { timeUnixSeconds: DAY + 3_600, usd: 3_001 },
  ]);
  expect(asked).toEqual([`/${KEY}/chart/ethereum:${WETH.toLowerCase()}?start=${DAY}&span=24&period=1h`]);
});

test('a coin that the source does not know has no prices', async () => {
  const { ask } = await sourceOf((_, response) => response.end('{"coins":{}}'));
  expect(await ask()).toEqual([]);
});

test.each<readonly [string, string, RequestListener]>([
  ['http_status', 'a refusal', (_, response) => response.writeHead(429).end()],
  ['refused', 'a question that it does not take', (_, response) => response.writeHead(404).end()],
  ['malformed', 'a page', (_, response) => response.end('<html>')],
  [
    'malformed',
    'a price below zero',
    (_, response) => response.end('{"coins":{"a":{"prices":[{"timestamp":1,"price":-1}]}}}'),
  ],
  ['malformed', 'an endless answer', (_, response) => response.end('1'.repeat(2 << 20))],
  ['unreachable', 'a broken connection', (request) => request.destroy()],
  [
    'unreachable',
    'a way to somewhere else',
    (_, response) => response.writeHead(302, { location: '/other' }).end(),
  ],
])('%s: %s is an error that does not hold the address', async (code, _, answer) => {
  const { ask } = await sourceOf(answer);
  const error: unknown = await ask().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code });
  expect(String(error)).not.toContain(KEY);
});
