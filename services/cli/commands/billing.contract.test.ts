import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { openStore } from '../../roles/store/open-store.ts';
import { startAnvil } from '../../testing/evm/start-anvil.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, runProgram, startProgram } from '../../testing/run-program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const run = (dataFolder: string, ...args: string[]) => runCommand(args, { SPOOR_DATA: dataFolder });

/** As a process: one of each command and of each exit code. */
const start = (dataFolder: string, ...args: string[]) =>
  runProgram(PROGRAMS.cli, args, { SPOOR_DATA: dataFolder });

const linesOf = ({ code, stdout, stderr }: Awaited<ReturnType<typeof runCommand | typeof start>>) => {
  expect(code, stderr).toBe(0);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};
const runJson = async (dataFolder: string, ...args: string[]) =>
  linesOf(await run(dataFolder, ...args, '--json'));
const startJson = async (dataFolder: string, ...args: string[]) =>
  linesOf(await start(dataFolder, ...args, '--json'));

test('an account is opened, gets a key and credits, and loses the key, all without a server', async () => {
  const data = temporaryFolder();
  const [account] = await startJson(data, 'accounts', 'open', 'Example', '--plan', 'free');
  expect(account).toMatchObject({ name: 'Example', plan: 'free', analyses_left: 50, pack_credits: 0 });
  const id = account.account_id;
  await runJson(data, 'accounts', 'credits', id, '25', '--id', 'purchase');
  const [again] = await runJson(data, 'accounts', 'credits', id, '25', '--id', 'purchase');
  expect(again).toMatchObject({ pack_credits: 25 });
  const issued = await start(data, 'keys', 'issue', id, '--name', 'server');
  // An account of a forgotten variable is one that the service of the chains does not know.
  expect(issued.stderr).toContain('this is the generated world, world-1');
  expect(issued.stdout).toMatch(/^spoor_live_[0-9A-Za-z]{34}\n$/);
  const [key] = await runJson(data, 'keys', 'list', id);
  expect(key).toMatchObject({ name: 'server', last_used_at: null, revoked_at: null });
  expect((await run(data, 'keys', 'list', id)).stdout).toContain('never used');
  expect(issued.stdout.startsWith(key.prefix)).toBe(true);
  expect((await run(data, 'keys', 'revoke', key.key_id)).code).toBe(0);
  expect((await runJson(data, 'keys', 'list', id))[0].revoked_at).not.toBeNull();
  expect(await runJson(data, 'accounts', 'plan', id, 'team', '--paid-until', '2099-01-01')).toMatchObject([
    { plan: 'team', analyses_left: 10_000, paid_until: '2099-01-01T00:00:00.000Z' },
  ]);
  expect(await startJson(data, 'ledger', 'audit')).toMatchObject([
    { name: 'ledger audit', payers: 1, credits_added: 25, credits_left: 25, problems: 0 },
  ]);
});

test('an account is meant by its name where no other has it, and by its id everywhere', async () => {
  const data = temporaryFolder();
  const [{ account_id: id }] = await runJson(data, 'accounts', 'open', 'acme');
  const [issued] = await runJson(data, 'keys', 'issue', 'acme');
  expect(issued).toMatchObject({ account_id: id });
  expect(await runJson(data, 'keys', 'list', 'acme')).toMatchObject([{ key_id: issued.key_id }]);
  expect(await runJson(data, 'accounts', 'credits', 'acme', '7')).toMatchObject([{ pack_credits: 7 }]);
  expect(await runJson(data, 'accounts', 'plan', 'acme', 'team')).toMatchObject([{ plan: 'team' }]);
  const [{ account_id: other }] = await runJson(data, 'accounts', 'open', 'acme');
  const shared = await run(data, 'keys', 'issue', 'acme');
  expect(shared).toMatchObject({ code: 1, stdout: '' });
  expect(shared.stderr).toContain(id);
  expect(shared.stderr).toContain(other);
  expect(await runJson(data, 'keys', 'issue', other)).toMatchObject([{ account_id: other }]);
});

test('a purchase that counts already adds nothing, whatever it says now, and that is told', async () => {
  const data = temporaryFolder();
  const [{ account_id: id }] = await runJson(data, 'accounts', 'open', 'Example');
  const first = await run(data, 'accounts', 'credits', id, '25', '--id', 'april');
  expect(first.stderr).not.toContain('april');
  const again = await run(data, 'accounts', 'credits', id, '50', '--id', 'april');
  expect(again.stderr).toContain('purchase april counts already: nothing is added\n');
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('; 25 pack credits\n') });
});

test('credits that nobody answers for are said to be repeatable, and the repetition adds them once', async () => {
  const data = temporaryFolder();
  const [{ account_id: id }] = await runJson(data, 'accounts', 'open', 'Example');
  const store = await openStore({ dataFolder: data, name: 'world-1', maxQueuedBytes: 1 << 20 });
  // Holds the right to decide, and does not.
  const holder = await store.log.consume({ group: 'ledger', topics: ['ledger.commands'] });
  const unanswered = await start(data, 'accounts', 'credits', id, '25');
  await holder.close();
  await store.close();
  expect(unanswered).toMatchObject({ code: 1, stdout: '' });
  const [, purchase = ''] = /repeat the command with --id (\S+),/.exec(unanswered.stderr) ?? [];
  const again = await runJson(data, 'accounts', 'credits', id, '25', '--id', purchase);
  expect(again).toMatchObject([{ pack_credits: 25 }]);
});

test('what cannot be done is refused with a sentence and changes nothing', async () => {
  const data = temporaryFolder();
  for (const [args, code, how = run] of [
    [['accounts', 'open', 'X', '--plan', 'gold'], 2, start],
    // The first account ends the open mode: an unset variable of a script must not.
    [['accounts', 'open', ' '], 2],
    [['accounts', 'open', 'x'.repeat(101)], 2],
    [['keys', 'issue', 'nobody', '--name', ''], 2],
    [['accounts', 'credits', 'id', '1.5'], 2],
    // The second purchase of an unset variable would add nothing.
    [['accounts', 'credits', 'id', '5', '--id', ''], 2],
    [['accounts', 'open', 'X', '--paid-until', 'soon'], 2],
    // Twelve months are meant; a day that no calendar has; and what is over would end the plan.
    [['accounts', 'open', 'X', '--paid-until', '12'], 2],
    [['accounts', 'open', 'X', '--paid-until', '2099-02-31'], 2],
    [['accounts', 'open', 'X', '--paid-until', '2020-01-01'], 2],
    [['accounts', 'credits', 'nobody', '5'], 1, start],
    [['keys', 'issue', 'nobody'], 1],
    [['keys', 'revoke', 'none'], 1],
  ] as const) {
    const refused = await how(data, ...args);
    expect(refused.code, args.join(' ')).toBe(code);
    // A command that runs within these tests answers as its process does.
    if (how === start) expect(refused).toMatchObject(await run(data, ...args));
    expect(refused.stderr).not.toContain('    at ');
    expect(refused.stderr.trim().length).toBeGreaterThan(10);
  }
  expect(await run(data, 'accounts', 'list')).toMatchObject({ code: 0, stdout: '' });
});

test('a plan that is paid for longer renews as it did, and what is left of its period stays', async () => {
  const data = temporaryFolder();
  const opened = ['accounts', 'open', 'Example', '--plan', 'team', '--cycle', 'yearly'];
  const [{ account_id: id, ...before }] = await runJson(data, ...opened);
  const [longer] = await runJson(data, 'accounts', 'plan', id, 'team', '--paid-until', '2099-01-01');
  expect(longer).toEqual({ account_id: id, ...before, paid_until: '2099-01-01T00:00:00.000Z' });
  const other = { plan: 'investigator', cycle: 'monthly', analyses_left: 1_000, paid_until: null };
  expect(await runJson(data, 'accounts', 'plan', id, 'investigator')).toMatchObject([other]);
  const yearly = await runJson(data, 'accounts', 'plan', id, 'investigator', '--cycle', 'yearly');
  expect(yearly).toMatchObject([{ cycle: 'yearly', analyses_left: 12_000 }]);
});

test('beside a running server: its paid routes ask for a key from then on, and a revoked one is refused at once', async () => {
  const data = temporaryFolder();
  const node = await startAnvil();
  const [from, to] = await node.accounts();
  await node.send({ from, to, value: 1n });
  const chains = JSON.stringify({ ethereum: { urls: node.url, start: 1, commitment: 'latest' } });
  const env = { SPOOR_DATA: data, SPOOR_PORT: '0', SPOOR_CHAINS: chains };
  // As a shell has them that also asks another server.
  const elsewhere = { SPOOR_URL: 'http://127.0.0.1:1', SPOOR_KEY: 'spoor_live_none' };
  const server = startProgram(PROGRAMS.server, [], { ...env, ...elsewhere });
  const url = (await server.printed(/^ready (\S+)$/m))[1] ?? '';
  const body = JSON.stringify({ address: from, chain: 'ethereum' });
  const follow = async (key?: string) => {
    const headers = {
      'content-type': 'application/json',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    };
    const response = await fetch(`${url}/follow`, { method: 'POST', headers, body });
    const { hops } = (await response.json()) as { hops?: object[] };
    const left = JSON.parse(response.headers.get('x-service-credits') ?? '{}');
    return { status: response.status, hops, left };
  };
  expect(server.stdout()).toContain('calls need no key');
  await expect.poll(() => follow(), PATIENCE).toMatchObject({ status: 200, hops: [{}] });
  const [found] = linesOf(await runCommand(['follow', `${from}`, '--json'], { SPOOR_DATA: data }));
  expect(found).toMatchObject({ hops: [{}] });
  const asked = ['sql', 'SELECT count() > 0 FROM transfers', '--json'];
  expect((await runCommand(asked, { SPOOR_DATA: data, ...elsewhere })).code).toBe(0);
  const [{ account_id: id }] = await runJson(data, 'accounts', 'open', 'Example');
  expect((await follow()).status).toBe(401);
  const [{ key, key_id: keyId }] = await runJson(data, 'keys', 'issue', id);
  expect(await follow(key)).toMatchObject({ status: 200, left: { plan: 'free', analyses_left: 48 } });
  const [{ created_at: createdAt, last_used_at: lastUsedAt }] = await runJson(data, 'keys', 'list', id);
  expect(Date.parse(lastUsedAt)).toBeGreaterThan(Date.parse(createdAt));
  expect((await run(data, 'keys', 'revoke', keyId)).code).toBe(0);
  expect((await follow(key)).status).toBe(401);
  expect(await runJson(data, 'ledger', 'audit')).toMatchObject([
    { posted: 1, open: 0, problems: 0, tables_compared: true },
  ]);
  server.process.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
  const ended = await runCommand(['follow', `${from}`], { SPOOR_DATA: data, SPOOR_PORT: '1' });
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('at http://127.0.0.1:1.') });
  expect(await runJson(data, 'ledger', 'audit')).toMatchObject([{ snapshot_compared: true, problems: 0 }]);
});

test('the audit says what is wrong, and exits with 1', async () => {
  const data = temporaryFolder();
  const [{ account_id: id }] = await runJson(data, 'accounts', 'open', 'Example');
  // An event that no ledger would write: credits taken twice from one payment.
  const store = await openStore({ dataFolder: data, name: 'world-1', maxQueuedBytes: 1 << 20 });
  const codec = await openLedgerCodec(store.registry);
  const payer = `account:${id}` as const;
  const event = { type: 'CreditsAdded', commandId: 'payment', credits: 5 } as const;
  const value = codec.encodeEntry({ payer, atUnixMs: Date.now(), event });
  await store.log.append([1, 2].map(() => ({ topic: 'ledger.events', key: payer, value })));
  await store.close();
  writeFileSync(`${data}/world-1/ledger-snapshot`, 'broken');
  const audit = await start(data, 'ledger', 'audit', '--json');
  expect(audit.code).toBe(1);
  expect(audit.stderr).toContain('command payment counts twice');
  expect(JSON.parse(audit.stdout)).toMatchObject({
    problems: 1,
    snapshot_compared: false,
    tables_compared: false,
  });
  expect(audit.stderr).toContain('there are no tables here to compare');
});

test('an audit of a folder where nothing happened calls nothing right', async () => {
  const { code, stderr } = await run(temporaryFolder(), 'ledger', 'audit');
  expect(code).toBe(0);
  expect(stderr).toMatch(/there was nothing to compare$/m);
  expect(stderr).not.toContain('right');
});

test('a reader that leaves is no crash', async () => {
  // Of the generated world each command says that it is one.
  const settings = { SPOOR_DATA: temporaryFolder(), SPOOR_CHAINS: 'solana=http://127.0.0.1:1' };
  expect((await runCommand(['accounts', 'open', 'Alder'], settings)).code).toBe(0);
  const [node, program] = PROGRAMS.cli;
  const { stderr } = spawnSync('/bin/sh', ['-c', `"${node}" ${program} accounts list --json | true`], {
    env: { PATH: process.env.PATH, ...settings },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
});
