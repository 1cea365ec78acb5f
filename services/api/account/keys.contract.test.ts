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
import { temporaryFolder } from '../../testing/temporary-folder.ts';

test.each([
  ['an EVM', evmWallet],
  ['a Solana', solanaWallet],
])(
  '%s wallet signs in, makes a key that is shown once, lists and revokes it, and signs out',
  async (_, wallet) => {
    const service = await openAccountService();
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

test('where no payments are taken no credits are sold, and that is said', async () => {
  const service = await openAccountService();
  const { cookie } = await signIn(service);
  const refused = await service.ask('POST', '/account/packs', { credits: 100 }, cookie);
  expect(refused).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(refused.body.error).toContain('not sold here');
});

test('a wallet sees and revokes its own keys only, has one account however often it signs in, and at most twenty keys', async () => {
  const service = await openAccountService();
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
  const service = await openAccountService();
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
  const service = await openAccountService();
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
  const service = await openAccountService(folder);
  const issue = ({ cookie }: { cookie: Record<string, string> }, by: AccountService = service) =>
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
  const other = await openAccountService(folder);
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

test('of these one network is given twenty a day, however many wallets and addresses it has, and others theirs', async () => {
  const service = await openAccountService();
  const { accountId } = await service.accounts.open('acme');
  await service.accounts.issueKey(accountId, 'first');
  const issue = async (address: string) => {
    const from = { 'x-forwarded-for': address };
    const { cookie } = await signIn(service, solanaWallet(), from);
    const { status, body } = await service.ask(
      'POST',
      '/account/keys',
      { name: 'key' },
      { ...cookie, ...from },
    );
    return status === 201 ? status : body.code;
  };
  for (const [network, other] of [
    [(at: number) => `198.51.100.${at}`, '198.51.101.1'],
    [(at: number) => `2001:db8:1:${at.toString(16)}::1`, '2001:db8:2::1'],
  ] as const) {
    const given = [];
    for (let at = 1; at <= 22; at++) given.push(await issue(network(at)));
    expect(given).toEqual([...Array(20).fill(201), 'too_many_free_keys', 'too_many_free_keys']);
    expect(await issue(other)).toBe(201);
  }
  service.pass(24 * 60 * MINUTE_MS);
  expect(await issue('198.51.100.1')).toBe(201);
});

test('no wallet ends the open mode: it is given a key once the operator has opened the first account', async () => {
  const service = await openAccountService(undefined, undefined, { beginsOpen: true });
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
