import { parseSiweMessage } from 'viem/siwe';
import { expect, test } from 'vitest';
import { evmWallet } from '../../testing/evm/evm-wallet.ts';
import {
  type AccountService,
  MINUTE_MS,
  openAccountService,
  signIn,
  solanaWallet,
} from '../../testing/open-account-service.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { startApi } from '../../testing/start-api.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

test('the challenge is what EIP-4361 says, and names our domain and its expiry', async () => {
  const { address } = evmWallet();
  const service = await openAccountService();
  const message = await service.challenge(address.toLowerCase());
  const parsed = parseSiweMessage(message);
  expect(parsed).toMatchObject({
    domain: 'spoor.example',
    address,
    uri: 'https://spoor.example',
    version: '1',
    chainId: 1,
  });
  expect((parsed.expirationTime?.getTime() ?? 0) - (parsed.issuedAt?.getTime() ?? 0)).toBe(10 * MINUTE_MS);
});

test('a challenge opens one session, also when two processes are asked at once', async () => {
  const folder = temporaryFolder();
  const [first, second] = [await openAccountService(folder), await openAccountService(folder)];
  const wallet = evmWallet();
  const message = await first.challenge(wallet.address);
  const signed = { message, signature: await wallet.sign(message) };
  const answers = await Promise.all(
    [first, second, first, second].map(({ ask }) => ask('POST', '/account/session', signed)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  expect((await second.ask('POST', '/account/session', signed)).status).toBe(401);
});

test('a session opened in one process holds in another one, and after it has ended in neither', async () => {
  const folder = temporaryFolder();
  const [first, second] = [await openAccountService(folder), await openAccountService(folder)];
  const { cookie } = await signIn(first);
  const look = async ({ ask }: AccountService) => (await ask('GET', '/account', undefined, cookie)).status;
  await expect.poll(() => look(second), PATIENCE).toBe(200);
  await second.ask('DELETE', '/account/session', undefined, cookie);
  await expect.poll(() => look(first), PATIENCE).toBe(401);
});

test('while the end of a session may be missing none is believed, and nobody is told that it is over', async () => {
  const service = await openAccountService(undefined, undefined, { isDamaged: true });
  const { cookie } = await signIn(service);
  const look = async (method: string, path: string) =>
    (await service.ask(method, path, undefined, cookie)).status;
  expect(await look('GET', '/account')).toBe(200);
  await service.log.append([{ topic: 'sessions', key: '', value: Buffer.from('what is this') }]);
  await expect.poll(() => look('GET', '/account'), PATIENCE).toBe(503);
  expect(await look('DELETE', '/account/session')).toBe(503);
});

test('what was not signed by the wallet, or is not our challenge to the letter, opens nothing', async () => {
  const service = await openAccountService();
  const wallet = evmWallet();
  const message = await service.challenge(wallet.address);
  const signature = await wallet.sign(message);
  const elsewhere = message.replaceAll('spoor.example', 'evil.example');
  const longer = message.replace(/(Expiration Time: )\d{4}/, '$19999');
  const other = message.replace(wallet.address, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');
  const foreign = await (await openAccountService(undefined, 'https://other.example')).challenge(
    wallet.address,
  );
  const invented = message.replace(/(Nonce: ).*/, `$1${'a'.repeat(96)}`);
  const redated = message.replace(/(Issued At|Expiration Time): 2/g, '$1: 3');
  // The last moment that a date can tell, after which none is left for it to expire.
  const lastDay = message.replace(/(Issued At: ).*/, '$19/13/275760,00:00:00.00Z');
  const ahead = await openAccountService();
  ahead.pass(2 * MINUTE_MS);
  const early = await ahead.challenge(wallet.address);
  for (const body of [
    { message, signature: `0x${'11'.repeat(65)}` },
    { message, signature: signature.slice(0, -2) },
    { message, signature: await wallet.sign(elsewhere) },
    { message, signature: await solanaWallet().sign(message) },
    { message: elsewhere, signature: await wallet.sign(elsewhere) },
    { message: longer, signature: await wallet.sign(longer) },
    { message: other, signature: await wallet.sign(other) },
    { message: foreign, signature: await wallet.sign(foreign) },
    { message: invented, signature: await wallet.sign(invented) },
    { message: redated, signature: await wallet.sign(redated) },
    { message: lastDay, signature: await wallet.sign(lastDay) },
    { message: early, signature: await wallet.sign(early) },
    { message: `${message}\n`, signature: await wallet.sign(`${message}\n`) },
  ])
    expect(await service.ask('POST', '/account/session', body)).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    });
  expect((await service.ask('POST', '/account/session', { message, signature })).status).toBe(200);
});

test('a challenge ends after ten minutes and a session after twelve hours, as they say in unix seconds', async () => {
  const service = await openAccountService();
  const wallet = evmWallet();
  const since = Math.floor(Date.now() / 1_000);
  const { body: challenge } = await service.ask('POST', '/account/challenge', { address: wallet.address });
  const { message } = challenge;
  const { cookie, body: session } = await signIn(service, wallet);
  const passed = Math.ceil(Date.now() / 1_000) - since;
  for (const [{ expires_at: at }, minutes] of [[challenge, 10] as const, [session, 12 * 60] as const]) {
    expect(at).toBeGreaterThanOrEqual(since + minutes * 60);
    expect(at).toBeLessThanOrEqual(since + minutes * 60 + passed);
  }
  service.pass(10 * MINUTE_MS);
  const late = { message, signature: await wallet.sign(message) };
  expect((await service.ask('POST', '/account/session', late)).status).toBe(401);
  expect((await service.ask('GET', '/account', undefined, cookie)).status).toBe(200);
  service.pass(12 * 60 * MINUTE_MS);
  expect((await service.ask('GET', '/account', undefined, cookie)).status).toBe(401);
});

test('a wallet signs in a hundred times in twelve hours, however many at once: then nothing is written, and its sessions hold', async () => {
  const service = await openAccountService();
  const first = await signIn(service);
  // Each from an address of its own, which would be held back before.
  const more = await Promise.all(
    Array.from({ length: 109 }, (_, i) =>
      signIn(service, evmWallet(), { 'x-forwarded-for': `198.51.100.${i}` }),
    ),
  );
  const refused = more.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    Array(10).fill([429, 'too_many_sessions']),
  );
  expect(refused[0]?.headers.get('set-cookie')).toBeNull();
  expect(await service.log.ranges('sessions')).toMatchObject([{ begin: 0, end: 100 }]);
  expect((await service.ask('GET', '/account', undefined, first.cookie)).status).toBe(200);
  expect((await signIn(service, solanaWallet())).status).toBe(200);
  service.pass(12 * 60 * MINUTE_MS);
  expect((await signIn(service)).status).toBe(200);
});

test('one address begins to sign in sixty times at once, then it waits; others do not', async () => {
  const service = await openAccountService();
  const ask = (from: string) =>
    service.ask('POST', '/account/challenge', { address: evmWallet().address }, { 'x-forwarded-for': from });
  const asked = await Promise.all(Array.from({ length: 65 }, () => ask('198.51.100.1')));
  const refused = asked.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    Array(5).fill([429, 'too_many_calls']),
  );
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await ask('198.51.100.2')).status).toBe(200);
});

test('the cookie is out of reach of scripts and other sites, and of plain http where the service has https', async () => {
  const secure = (await signIn(await openAccountService())).headers.get('set-cookie') ?? '';
  expect(secure).toMatch(
    /^__Host-spoor_session=[\w-]{43}\.0x[0-9a-fA-F]{40}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
  );
  const local =
    (await signIn(await openAccountService(undefined, 'http://127.0.0.1:8402'))).headers.get('set-cookie') ??
    '';
  expect(local).toMatch(
    /^spoor_session=[\w-]{43}\.0x[0-9a-fA-F]{40}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
});

test('nothing changes for a page of another site, nor for a form', async () => {
  const service = await openAccountService();
  const { cookie } = await signIn(service);
  const key = { name: 'theirs' };
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    const asked = await service.ask('POST', '/account/keys', key, { ...cookie, ...headers });
    expect(asked).toMatchObject({ status: 403, body: { code: 'cross_site' } });
    expect(
      (await service.ask('DELETE', '/account/session', undefined, { ...cookie, ...headers })).status,
    ).toBe(403);
  }
  const form = { ...cookie, 'content-type': 'application/x-www-form-urlencoded' };
  expect((await service.ask('POST', '/account/keys', key, form)).status).toBe(415);
  const ours = { ...cookie, origin: 'https://spoor.example', 'sec-fetch-site': 'same-origin' };
  expect((await service.ask('POST', '/account/keys', key, ours)).status).toBe(201);
});

test('where the service does not know its own address nobody can sign in', async () => {
  await using api = await startApi();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ address: evmWallet().address });
  expect((await fetch(`${api.url}/account/challenge`, { method: 'POST', headers, body })).status).toBe(404);
});
