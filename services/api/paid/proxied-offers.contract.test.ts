import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evmWallet } from '../../testing/evm/evm-wallet.ts';
import { findNginx, type Nginx, startNginx } from '../../testing/start-nginx.ts';
import {
  openPaidApi,
  type PaidApi,
  type PaidWorld,
  startSolanaWorld,
} from '../../testing/x402/paid-world.ts';
import { encodePayment, offerOf } from '../../testing/x402/pay-api.ts';
import { describeResource, PAID_PATHS } from './resources.ts';

/** nginx reads an answer's head into one page of memory, 4,096 bytes, unless it is told otherwise. */
const HEAD_BYTES_MAX = 3_900;
const NGINX = findNginx();

let world: PaidWorld;
let api: PaidApi;
let nginx: Nginx | null = null;
const cookie: { cookie?: string } = {};
beforeAll(async () => {
  // Offers two networks.
  world = await startSolanaWorld();
  api = await openPaidApi(world, { signsIn: true });
  if (NGINX !== null) nginx = await startNginx(NGINX, api.url);
  const wallet = evmWallet();
  const asked = await api.post('/account/challenge', { address: wallet.address });
  const { message } = (await asked.json()) as { message: string };
  const signature = await wallet.sign(message);
  const session = await api.post('/account/session', { message, signature });
  cookie.cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
});
afterAll(async () => {
  await nginx?.stop();
  await api?.[Symbol.asyncDispose]();
  await world?.stop();
});

const CALLS = [
  ...PAID_PATHS.map((path) => [path, describeResource(path).discovery.example] as const),
  ['/account/packs', { credits: 200 }] as const,
];
const ask = (url: string, path: string, body: object, headers: object = {}) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...cookie, ...headers },
    body: JSON.stringify(body),
  });

/** Bytes of the status line and all header lines, as they go over the line. */
const headBytes = async (url: string, body: object): Promise<number> => {
  const headers = { 'content-type': 'application/json', ...cookie };
  const asked = request(url, { method: 'POST', headers }).end(JSON.stringify(body));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(402);
  const line = `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n\r\n`;
  return answer.rawHeaders.reduce((bytes, part) => bytes + Buffer.byteLength(part) + 2, line.length);
};

test.each(CALLS)('what POST %s costs on two networks fits into a proxy’s page', async (path, body) => {
  expect(await headBytes(api.url + path, body)).toBeLessThanOrEqual(HEAD_BYTES_MAX);
});

test.skipIf(NGINX === null).each(CALLS)(
  `nginx with no settings of its own passes on what POST %s costs${NGINX === null ? ' (nginx is not installed)' : ''}`,
  async (path, body) => {
    const direct = offerOf(await ask(api.url, path, body));
    const proxied = await ask(nginx?.url ?? '', path, body);
    expect(proxied.status).toBe(402);
    const offered = offerOf(proxied);
    expect(offered.accepts).toHaveLength(2);
    expect(offered.extensions).toEqual(direct.extensions);
    // The longest refusal of a payment is passed on, too.
    const sent = encodePayment({ x402Version: 2, accepted: offered.accepts[0], payload: {} });
    expect((await ask(nginx?.url ?? '', path, body, sent)).status).toBe(400);
  },
);
