import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedgerCodec } from '../credits/ledger-codec.ts';
import { PATIENCE } from '../testing/patience.ts';
import { runCommand } from '../testing/run-command.ts';
import { PROGRAMS, runProgram, startProgram } from '../testing/run-program.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { claimOf } from '../testing/x402/claim-of.ts';
import { type EvmWorld, openPaidApi, startEvmWorld, WALLET_ADDRESS } from '../testing/x402/paid-world.ts';
import { evmClient, insist, offerOf, receiptOf, signPayment } from '../testing/x402/pay-api.ts';
import { openPaymentCodec } from './book/payment-codec.ts';

const PRICE = 100_000n;
// What a killed process left open is finished soon enough for a test to see it, and later than any work here takes.
const LIMITS = { workMs: 5_000, settlingMs: 1_500 };
const FIRST = { address: WALLET_ADDRESS, chain: 'ethereum' };
const SECOND = { ...FIRST, max_hops: 3 };

let world: EvmWorld;
beforeAll(async () => {
  world = await startEvmWorld();
});
afterAll(() => world.stop());

const startApi = async () => {
  const { networks, folder, facilitator } = world;
  const setting = { world: { networks, folder, facilitator: { url: facilitator.url } }, limits: LIMITS };
  const program = startProgram([process.execPath, 'services/testing/x402/paid-api-process.ts'], [], {
    PAID_API: JSON.stringify(setting),
  });
  const [, url] = await program.printed(/^listening (\S+)$/m);
  const send = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/follow`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  return { program, send };
};

const startCommand = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  runProgram(PROGRAMS.cli, args, env);

const x402Variables = (): Record<string, string> => {
  const list = (name: 'payTo' | 'rpcUrl') =>
    world.networks.map((each) => `${each.network}=${each[name]}`).join(',');
  return {
    X402_FACILITATOR_URL: world.facilitator.url,
    X402_PAY_TO: list('payTo'),
    X402_RPC_URLS: list('rpcUrl'),
  };
};

const audit = async (folder: string, run: typeof runCommand | typeof startCommand) => {
  const env = { SPOOR_DATA: folder, ...x402Variables() };
  const { code, stdout, stderr } = await run(['payments', 'audit', '--json'], env);
  return { code, stderr, ...(JSON.parse(stdout) as Record<string, unknown>) };
};

test('an API killed at its work has taken nothing, and killed while it settles has taken the money once: either payment gets its answer elsewhere', async () => {
  const [working, settling] = [
    await world.chain.createPayer(PRICE),
    await world.chain.createPayer(2n * PRICE),
  ];
  const killed = await startApi();
  const first = await signPayment(evmClient(working), offerOf(await killed.send(FIRST)));
  const second = await signPayment(evmClient(settling), offerOf(await killed.send(SECOND)));
  const cut = [killed.send(FIRST, first.headers).catch(() => null)];
  await killed.program.printed(/^working$/m);
  world.facilitator.trouble('/settle', 'silent');
  cut.push(killed.send(SECOND, second.headers).catch(() => null));
  await expect.poll(() => world.chain.balance(settling.address), PATIENCE).toBe(PRICE);
  killed.program.process.kill('SIGKILL');
  await Promise.all([killed.program.ended, ...cut]);
  world.facilitator.trouble('/settle', 'none');

  await using api = await openPaidApi(world, { limits: LIMITS });
  const sendFirst = () => api.post('/follow', FIRST, first.headers);
  const sendSecond = () => api.post('/follow', SECOND, second.headers);
  const fetched = await insist(sendSecond);
  expect(api.worked()).toBe(0);
  expect(await fetched.json()).toMatchObject({ end: { reason: 'at_rest' } });
  const onChain = await world.chain.node.ask('eth_getTransactionReceipt', receiptOf(fetched).transaction);
  expect(onChain).toMatchObject({ status: '0x1' });
  await insist(sendFirst);
  expect(await world.chain.balance(working.address)).toBe(0n);
  expect(await world.chain.balance(settling.address)).toBe(PRICE);
});

test('the audit finds the one payment that the events call settled and the chain does not know, and credits that nobody bought', async () => {
  await using api = await openPaidApi(world);
  const buyer = await world.chain.createPayer(PRICE);
  const { payload } = await signPayment(evmClient(buyer), offerOf(await api.post('/follow', FIRST)));
  const codec = await openPaymentCodec(api.registry);
  const wallet = `wallet:${payload.accepted.network}:${buyer.address.toLowerCase()}` as const;
  const { network, asset, amount: amountRaw, payTo } = payload.accepted;
  const signed = JSON.stringify({ payload, requirements: payload.accepted });
  const claim = claimOf('c', {
    network,
    asset,
    amountRaw,
    payTo,
    signed,
    deadlineUnixMs: Date.now() + 300_000,
  });
  const lie = { type: 'PaymentSettled', claimId: 'c', transaction: `0x${'0'.repeat(64)}` } as const;
  for (const event of [claim, { type: 'SettlementStarted', claimId: 'c' } as const, lie]) {
    const value = codec.encode({ wallet, key: 'planted', atUnixMs: Date.now(), event });
    await api.log.append([{ topic: 'payments', key: wallet, value }]);
  }
  const ledgerCodec = await openLedgerCodec(api.registry);
  const payer = 'account:a';
  const given = { type: 'CreditsAdded', commandId: 'x402:unpaid', credits: 5 } as const;
  const value = ledgerCodec.encodeEntry({ payer, atUnixMs: Date.now(), event: given });
  await api.log.append([{ topic: 'ledger.events', key: payer, value }]);
  const audited = await audit(world.folder, startCommand);
  expect(audited).toMatchObject({ code: 1, settled: 3, settling: 0, unknown: 0, problems: 2 });
  expect(audited.stderr).toContain('payment planted');
  expect(audited.stderr).toContain('payment unpaid of nobody bought account:a nothing');
});

test('the service itself is paid, for a trail on the very chain that it is paid on', async () => {
  const folder = temporaryFolder();
  const { node } = world.chain;
  const payer = await world.chain.createPayer(PRICE);
  await node.ask('anvil_impersonateAccount', payer.address);
  await node.ask('anvil_setBalance', payer.address, '0x8ac7230489e80000');
  await node.send({ from: payer.address, to: `0x${'2'.repeat(40)}`, value: 5n });
  const server = startProgram(PROGRAMS.server, [], {
    SPOOR_DATA: folder,
    SPOOR_PORT: '0',
    SPOOR_PUBLIC_URL: 'https://spoor.example',
    SPOOR_CHAINS: JSON.stringify({ base: { urls: node.url, start: 1, commitment: 'latest' } }),
    ...x402Variables(),
  });
  const [, url] = await server.printed(/^ready (\S+)$/m);
  const follow = (headers: Record<string, string> = {}) =>
    fetch(`${url}/follow`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ address: payer.address, chain: 'base', asset: 'native' }),
    });
  const offer = offerOf(await follow());
  expect(offer.resource.url).toBe('https://spoor.example/follow');
  const { headers } = await signPayment(evmClient(payer), offer);
  const readStatus = async () =>
    (await (await fetch(`${url}/status`)).json()) as { components: { chains: { indexed: number }[] } };
  const head = Number(await node.ask('eth_blockNumber'));
  await expect
    .poll(async () => (await readStatus()).components.chains[0]?.indexed, PATIENCE)
    .toBeGreaterThanOrEqual(head);
  expect(await (await follow(headers)).json()).toMatchObject({ hops: [{ symbol: 'ETH' }] });
  expect(await world.chain.balance(payer.address)).toBe(0n);
  expect(await readStatus()).toMatchObject({ access: 'keys', components: { facilitator: 'ok' } });
  expect(await audit(folder, runCommand)).toMatchObject({ code: 0, settled: 1, problems: 0 });
});
