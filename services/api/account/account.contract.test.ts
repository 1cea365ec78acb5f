import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { base58 } from '@scure/base';
import { privateKeyToAccount } from 'viem/accounts';
import { parseSiweMessage } from 'viem/siwe';
import { expect, onTestFinished, test } from 'vitest';
import { openAccountCodec } from '../../accounts/account-codec.ts';
import { startAccounts } from '../../accounts/accounts.ts';
import { startSessions } from '../../accounts/sessions.ts';
import { createChallenges } from '../../accounts/sign-in-message.ts';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { openEmbeddedLog } from '../../platform/event-log/embedded/open-embedded-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { isOpen } from '../../roles/billing/run-billing.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { startApi } from '../../testing/start-api.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const SECRET = Buffer.alloc(32, 7);
const MINUTE_MS = 60_000;

/**
 * One API process on the log of a folder, with the account area at an address. `isDamaged`: the log cannot be read.
 * `beginsOpen`: calls need no key before the first account.
 */
const open = async (
  folder = temporaryFolder(),
  address = 'https://spoor.example',
  { isDamaged = false, beginsOpen = false } = {},
) => {
  let passedMs = 0;
  const clock = { nowUnixMs: () => Date.now() + passedMs };
  const log = await openEmbeddedLog({
    folder,
    topics: TOPICS,
    maxQueuedBytes: 1 << 20,
    maxRecordBytes: 1 << 20,
  });
  const registry = openLocalRegistry(`${folder}/schemas.json`);
  const errors: unknown[] = [];
  const shared = { log, clock, onError: (error: unknown) => void errors.push(error) };
  const accounts = await startAccounts({ ...shared, codec: await openAccountCodec(registry) });
  const sessions = await startSessions({ ...shared, registry });
  const origin = new URL(address);
  const { directory } = accounts;
  const ledger = createMemoryLedger(clock);
  const begun = { accounts, ledger, stop: async () => {} };
  const api = await startApi({
    clock,
    billing: { ledger, directory, isOpen: () => beginsOpen && isOpen(begun, null) },
    accountArea: { accounts, sessions, challenges: createChallenges(origin, SECRET), origin },
  });
  onTestFinished(async () => {
    await api.close({ graceMs: 0 });
    await Promise.all([accounts.stop(), sessions.stop()]);
    await log.close();
    if (!isDamaged) expect(errors).toEqual([]);
  });
  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(api.url + path, {
      method,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  return {
    ask,
    log,
    ledger,
    accounts,
    directory,
    pass: (ms: number) => {
      passedMs += ms;
    },
    challenge: async (wallet: string, headers: Record<string, string> = {}): Promise<string> =>
      (await ask('POST', '/account/challenge', { address: wallet }, headers)).body.message,
  };
};
type Service = Awaited<ReturnType<typeof open>>;

type Wallet = { readonly address: string; sign(message: string): Promise<string> };

const evmWallet = (): Wallet => {
  const { address, signMessage } = privateKeyToAccount(`0x${'42'.repeat(32)}`);
  return { address, sign: (message: string): Promise<string> => signMessage({ message }) };
};
const solanaWallet = (): Wallet => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    address: base58.encode(bytes(publicKey)),
    sign: async (message: string) => base58.encode(sign(null, Buffer.from(message), privateKey)),
  };
};

/** `headers` of a proxy may name the address that it comes from. */
const signIn = async (service: Service, wallet = evmWallet(), headers: Record<string, string> = {}) => {
  const message = await service.challenge(wallet.address, headers);
  const signed = { message, signature: await wallet.sign(message) };
  const response = await service.ask('POST', '/account/session', signed, headers);
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { ...response, signed, cookie: { cookie } };
};

test.each([
  ['an EVM', evmWallet],
  ['a Solana', solanaWallet],
])(
  '%s wallet signs in, makes a key that is shown once, lists and revokes it, and signs out',
  async (_, wallet) => {
    const service = await open();
    const { status, cookie, body } = await signIn(service, wallet());
    expect(status).toBe(200);
    const issued = await service.ask('POST', '/account/keys', { name: 'server' }, cookie);
    expect(issued.status).toBe(201);
    expect(issued.body.key).toMatch(/^spoor_live_/);
    expect(issued.headers.get('cache-control')).toBe('no-store');
    const account = await service.ask('GET', '/account', undefined, cookie);
    expect(account.body).toMatchObject({
      account_id: body.account_id,
      plan: 'none',
      keys: [{ id: issued.body.id, name: 'server', prefix: issued.body.key.slice(0, 17), revoked_at: null }],
    });
    expect(JSON.stringify(account.body)).not.toContain(issued.body.key.slice(17));
    const bearer = { authorization: `Bearer ${issued.body.key}` };
    expect((await service.ask('GET', '/billing/account', undefined, bearer)).status).toBe(200);
    expect((await service.ask('DELETE', `/account/keys/${issued.body.id}`, undefined, cookie)).status).toBe(
      204,
    );
    expect((await service.ask('GET', '/billing/account', undefined, bearer)).status).toBe(401);
    expect((await service.ask('DELETE', '/account/session', undefined, cookie)).status).toBe(204);
    expect((await service.ask('GET', '/account', undefined, cookie)).status).toBe(401);
  },
);

test('the challenge is what EIP-4361 says, and names our domain and its expiry', async () => {
  const { address } = evmWallet();
  const service = await open();
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
  const [first, second] = [await open(folder), await open(folder)];
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
  const [first, second] = [await open(folder), await open(folder)];
  const { cookie } = await signIn(first);
  const look = async ({ ask }: Service) => (await ask('GET', '/account', undefined, cookie)).status;
  await expect.poll(() => look(second), PATIENCE).toBe(200);
  await second.ask('DELETE', '/account/session', undefined, cookie);
  await expect.poll(() => look(first), PATIENCE).toBe(401);
});

test('while the end of a session may be missing none is believed, and nobody is told that it is over', async () => {
  const service = await open(undefined, undefined, { isDamaged: true });
  const { cookie } = await signIn(service);
  const look = async (method: string, path: string) =>
    (await service.ask(method, path, undefined, cookie)).status;
  expect(await look('GET', '/account')).toBe(200);
  await service.log.append([{ topic: 'sessions', key: '', value: Buffer.from('what is this') }]);
  await expect.poll(() => look('GET', '/account'), PATIENCE).toBe(503);
  expect(await look('DELETE', '/account/session')).toBe(503);
});

test('what was not signed by the wallet, or is not our challenge to the letter, opens nothing', async () => {
  const service = await open();
  const wallet = evmWallet();
  const message = await service.challenge(wallet.address);
  const signature = await wallet.sign(message);
  const elsewhere = message.replaceAll('spoor.example', 'evil.example');
  const longer = message.replace(/(Expiration Time: )\d{4}/, '$19999');
  const other = message.replace(wallet.address, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');
  const foreign = await (await open(undefined, 'https://other.example')).challenge(wallet.address);
  const invented = message.replace(/(Nonce: ).*/, `$1${'a'.repeat(96)}`);
  const redated = message.replace(/(Issued At|Expiration Time): 2/g, '$1: 3');
  // The last moment that a date can tell, after which none is left for it to expire.
  const lastDay = message.replace(/(Issued At: ).*/, '$19/13/275760,00:00:00.00Z');
  const ahead = await open();
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
  const service = await open();
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
  const service = await open();
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
  const service = await open();
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
  const secure = (await signIn(await open())).headers.get('set-cookie') ?? '';
  expect(secure).toMatch(
    /^__Host-spoor_session=[\w-]{43}\.0x[0-9a-fA-F]{40}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
  );
  const local =
    (await signIn(await open(undefined, 'http://127.0.0.1:8402'))).headers.get('set-cookie') ?? '';
  expect(local).toMatch(
    /^spoor_session=[\w-]{43}\.0x[0-9a-fA-F]{40}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
});

test('nothing changes for a page of another site, nor for a form', async () => {
  const service = await open();
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

test('a wallet sees and revokes its own keys only, has one account however often it signs in, and at most twenty keys', async () => {
  const service = await open();
  const mine = await signIn(service);
  const theirs = await signIn(service, solanaWallet());
  const issued = await service.ask('POST', '/account/keys', { name: 'mine' }, mine.cookie);
  const stolen = await service.ask('DELETE', `/account/keys/${issued.body.id}`, undefined, theirs.cookie);
  expect(stolen).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await service.ask('GET', '/account', undefined, theirs.cookie)).body.keys).toEqual([]);
  expect((await signIn(service)).body.account_id).toBe(mine.body.account_id);
  for (let i = 1; i < 20; i++) await service.ask('POST', '/account/keys', { name: `${i}` }, mine.cookie);
  expect(await service.ask('POST', '/account/keys', { name: 'one more' }, mine.cookie)).toMatchObject({
    status: 409,
    body: { code: 'too_many_keys' },
  });
});

test('an account has at most twenty keys, however many are asked for at once, and a key is revoked once', async () => {
  const service = await open();
  const { cookie, body } = await signIn(service);
  const recorded = async (): Promise<number> =>
    (await service.log.read({ topic: 'accounts', partition: 0, offset: 0, maxBytes: 1 << 20 })).length;
  const atOnce = async (count: number, ask: () => Promise<{ status: number }>) =>
    (await Promise.all(Array.from({ length: count }, ask))).map(({ status }) => status).sort();
  const issued = await atOnce(50, () => service.ask('POST', '/account/keys', { name: 'key' }, cookie));
  expect(issued).toEqual([...Array(20).fill(201), ...Array(30).fill(409)]);
  const keys = service.directory.keysOf(body.account_id);
  expect([keys.length, await recorded()]).toEqual([20, 21]);
  const path = `/account/keys/${keys[0]?.id}`;
  for (const count of [5, 1]) {
    const revoked = await atOnce(count, () => service.ask('DELETE', path, undefined, cookie));
    expect(revoked).toEqual(Array(count).fill(204));
  }
  expect(await recorded()).toBe(22);
});

test('signing in leaves no account behind, the first key does, and an account is given a hundred keys and no more', async () => {
  const service = await open();
  const { cookie, body } = await signIn(service);
  expect((await service.ask('GET', '/account', undefined, cookie)).body).toMatchObject({ keys: [] });
  expect(service.directory.accounts()).toEqual([]);
  const issue = () => service.ask('POST', '/account/keys', { name: 'key' }, cookie);
  for (let i = 0; i < 100; i++) {
    const { status, body: issued } = await issue();
    expect(status).toBe(201);
    await service.ask('DELETE', `/account/keys/${issued.id}`, undefined, cookie);
  }
  expect(service.directory.accounts()).toMatchObject([{ id: body.account_id, name: evmWallet().address }]);
  expect(await issue()).toMatchObject({ status: 409, body: { code: 'too_many_keys' } });
});

test('accounts that never had credits are given two hundred keys a day, all together, however many wallets ask whichever process', async () => {
  const folder = temporaryFolder();
  const service = await open(folder);
  const issue = ({ cookie }: { cookie: Record<string, string> }, by: Service = service) =>
    by.ask('POST', '/account/keys', { name: 'key' }, cookie);
  const arrive = () => signIn(service, solanaWallet());
  const twentyTo = async (count: number) => {
    const wallets = await Promise.all(Array.from({ length: count }, arrive));
    return Promise.all(wallets.flatMap((wallet) => Array.from({ length: 20 }, () => issue(wallet))));
  };
  const { accountId } = await service.accounts.open('acme');
  await service.accounts.issueKey(accountId, 'the operator counts for nothing');
  expect((await twentyTo(9)).map(({ status }) => status)).toEqual(Array(180).fill(201));
  const last = (await twentyTo(2)).map(({ status }) => status).sort();
  expect(last).toEqual([...Array(20).fill(201), ...Array(20).fill(429)]);

  const late = await arrive();
  const other = await open(folder);
  await expect
    .poll(async () => (await other.ask('GET', '/account', undefined, late.cookie)).status, PATIENCE)
    .toBe(200);
  for (const process of [service, other]) {
    const { status, body, headers } = await issue(late, process);
    expect([status, body.code]).toEqual([429, 'too_many_free_keys']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
  }
  expect(service.directory.account(late.body.account_id)).toBeNull();
  const credits = { type: 'AddCredits', id: 'pack', credits: 1 } as const;
  await service.ledger.submit(`account:${late.body.account_id}`, credits);
  expect((await issue(late)).status).toBe(201);
  service.pass(24 * 60 * MINUTE_MS);
  expect((await issue(await arrive())).status).toBe(201);
});

test('no wallet ends the open mode: it is given a key once the operator has opened the first account', async () => {
  const service = await open(undefined, undefined, { beginsOpen: true });
  const { cookie } = await signIn(service);
  const issue = () => service.ask('POST', '/account/keys', { name: 'mine' }, cookie);
  const call = (headers = {}) =>
    service.ask('POST', '/follow', { address: evmWallet().address, chain: 'ethereum' }, headers);
  expect(await issue()).toMatchObject({ status: 409, body: { code: 'no_keys_needed' } });
  expect((await call()).status).toBe(200);
  expect(service.directory.accounts()).toEqual([]);
  await service.accounts.open('acme');
  expect((await call()).status).toBe(401);
  const { status, body } = await issue();
  expect(status).toBe(201);
  // It has no credits yet.
  expect((await call({ 'x-api-key': body.key })).status).toBe(402);
});

test('where the service does not know its own address nobody can sign in', async () => {
  await using api = await startApi();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ address: evmWallet().address });
  expect((await fetch(`${api.url}/account/challenge`, { method: 'POST', headers, body })).status).toBe(404);
});
